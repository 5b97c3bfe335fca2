// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.anomaly.alert;

import dev.flowstone.jobs.anomaly.pane.Terms;
import java.io.Serializable;

/**
 * What is kept of a subject, beside its panes.
 *
 * @param judgedPane up to which its windows have been judged
 */
public record Standing(Terms terms, long judgedPane, Course course) implements Serializable {
  static Standing begin(Terms terms) {
    return new Standing(terms, Long.MIN_VALUE, Course.NEW);
  }
}
