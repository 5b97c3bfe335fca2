// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.anomaly.alert;

import dev.flowstone.results.Result;
import dev.flowstone.results.ResultFields;
import dev.flowstone.results.RuleTag;
import java.io.Serializable;

/**
 * More SYNs without ACK to a destination within a window than the threshold.
 *
 * @param endNs first nanosecond that is not of the window any more
 */
public record SynWindow(
    RuleTag rule,
    String detector,
    String destination,
    long beginNs,
    long endNs,
    long count,
    long threshold)
    implements Result, Serializable {
  @Override
  public String kind() {
    return "syn_window";
  }

  @Override
  public long timeNs() {
    return endNs;
  }

  @Override
  public void describe(ResultFields fields) {
    fields.key("detector", detector);
    fields.key("destination", destination);
    fields.number("window_begin_ns", beginNs);
    fields.number("window_end_ns", endNs);
    fields.number("count", count);
    fields.number("threshold", threshold);
  }
}
