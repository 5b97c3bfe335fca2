// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.histogram;

import dev.flowstone.model.FlowTuple;
import dev.flowstone.operators.FlowKey;
import dev.flowstone.rules.function.Histogram.Measure;
import dev.flowstone.rules.function.Histogram.Per;
import java.io.Serializable;

/**
 * What a histogram is of, and in which range.
 *
 * @param ruleId see {@link dev.flowstone.operators.ruled.RulesInForce#id}
 * @param flow of a histogram per flow; else null
 * @param prefix of a histogram per prefix, {@link #NO_IP} of packets without addresses; else empty
 */
public record HistogramSubject(
    long ruleId,
    Measure measure,
    Per per,
    FlowTuple flow,
    String prefix,
    long lowest,
    long highest,
    int digits)
    implements Serializable {
  /** Instead of a prefix. */
  public static final String NO_IP = FlowKey.NO_IP;

  /** The same of all parts that add up; text, since an enum's hash differs from JVM to JVM. */
  String key() {
    return Long.toHexString(ruleId) + " " + measure + " " + (flow == null ? prefix : flow);
  }

  HdrLayout layout() {
    return new HdrLayout(lowest, highest, digits);
  }
}
