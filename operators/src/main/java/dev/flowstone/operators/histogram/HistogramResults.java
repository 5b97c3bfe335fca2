// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.histogram;

import java.util.List;
import org.apache.flink.streaming.api.datastream.DataStream;

/**
 * The results of {@link Histograms}.
 *
 * @param ofFlows nearly all of what histograms per flow give
 * @param ofSums the rest: of rules, prefixes, and flows of many packets
 */
public record HistogramResults(
    DataStream<HistogramResult> ofFlows, DataStream<HistogramResult> ofSums) {

  /** Apart: what takes either is chained to where it is found, which spares each result a copy. */
  public List<DataStream<HistogramResult>> each() {
    return List.of(ofFlows, ofSums);
  }

  public DataStream<HistogramResult> together() {
    return ofFlows.union(ofSums);
  }
}
