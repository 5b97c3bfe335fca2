// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.anomaly.alert;

import dev.flowstone.jobs.anomaly.pane.Pane;
import dev.flowstone.jobs.anomaly.pane.Terms;
import java.io.Serializable;

/**
 * What is kept of a subject. Most are seen once and never again: so the newest pane is here, and
 * one look at state does for them.
 *
 * @param judgedPane up to which its windows have been judged
 * @param newestPane its number; of no meaning where there is none
 * @param newest null: there is none
 * @param older how many panes there are before that one, of windows of several panes
 */
public record Standing(
    Terms terms, long judgedPane, Course course, long newestPane, Pane newest, int older)
    implements Serializable {
  static Standing begin(Terms terms) {
    return new Standing(terms, Long.MIN_VALUE, Course.NEW, 0, null, 0);
  }

  Standing under(Terms other) {
    return new Standing(other, judgedPane, course, newestPane, newest, older);
  }

  Standing judged(long pane, Course next) {
    return new Standing(terms, pane, next, newestPane, newest, older);
  }

  Standing withNewest(long number, Pane pane) {
    return new Standing(terms, judgedPane, course, number, pane, older);
  }

  Standing withOlder(int count) {
    return new Standing(terms, judgedPane, course, newestPane, newest, count);
  }

  boolean isNewest(long number) {
    return newest != null && number == newestPane;
  }

  boolean hasPanes() {
    return newest != null;
  }
}
