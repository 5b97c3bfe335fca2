// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.inspect.traffic;

import dev.flowstone.inspect.flow.FlowSummary;
import dev.flowstone.inspect.flow.Gaps;
import dev.flowstone.inspect.flow.UnsortedFlow;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.stream.Stream;

/**
 * Packets, flows and SYNs of a capture.
 *
 * @param saturatedLengths packets longer than a record can say; counted with the longest length
 * @param classes packets by class, only those that occurred
 */
public record TrafficSummary(
    long packets,
    long bytesWire,
    long saturatedLengths,
    TimeRange times,
    SortedMap<String, Long> classes,
    long directionalFlows,
    long bidirectionalFlows,
    List<FlowSummary> topDirectional,
    List<FlowSummary> topBidirectional,
    long synWithoutAck,
    long synWithAck,
    SynReport syns) {

  /** Listed flows of which not all gaps are known yet. */
  public List<UnsortedFlow> unsortedFlows() {
    return Stream.concat(topDirectional.stream(), topBidirectional.stream())
        .map(FlowSummary::unsorted)
        .filter(Objects::nonNull)
        .toList();
  }

  public TrafficSummary withGapsByTime(Map<UnsortedFlow, Gaps> found) {
    return new TrafficSummary(
        packets,
        bytesWire,
        saturatedLengths,
        times,
        classes,
        directionalFlows,
        bidirectionalFlows,
        topDirectional.stream().map(flow -> flow.withGapsByTime(found)).toList(),
        topBidirectional.stream().map(flow -> flow.withGapsByTime(found)).toList(),
        synWithoutAck,
        synWithAck,
        syns);
  }
}
