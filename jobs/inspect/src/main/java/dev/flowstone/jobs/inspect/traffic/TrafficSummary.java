// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.inspect.traffic;

import dev.flowstone.jobs.inspect.flow.FlowSummary;
import dev.flowstone.jobs.inspect.flow.Gaps;
import dev.flowstone.jobs.inspect.flow.TopFlows;
import dev.flowstone.jobs.inspect.flow.UnsortedFlow;
import java.io.Serializable;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * What is in some rings, in a form that can be merged. Both directions of a flow are in the same
 * ring, so flows of different summaries are different flows; destinations of SYNs are not.
 *
 * @param lost packets that the rings could not hold
 * @param saturatedLengths packets longer than a record can say; counted with the longest length
 * @param classes packets by class, only those that occurred
 */
public record TrafficSummary(
    long packets,
    long bytesWire,
    long lost,
    long saturatedLengths,
    TimeRange times,
    SortedMap<String, Long> classes,
    long directionalFlows,
    long bidirectionalFlows,
    List<FlowSummary> topDirectional,
    List<FlowSummary> topBidirectional,
    long synWithoutAck,
    long synWithAck,
    List<SynCount> synCounts)
    implements Serializable {

  public TrafficSummary plus(TrafficSummary other) {
    SortedMap<String, Long> allClasses = new TreeMap<>(classes);
    other.classes.forEach((name, count) -> allClasses.merge(name, count, Long::sum));
    return new TrafficSummary(
        packets + other.packets,
        bytesWire + other.bytesWire,
        lost + other.lost,
        saturatedLengths + other.saturatedLengths,
        times.and(other.times),
        allClasses,
        directionalFlows + other.directionalFlows,
        bidirectionalFlows + other.bidirectionalFlows,
        TopFlows.merge(topDirectional, other.topDirectional),
        TopFlows.merge(topBidirectional, other.topBidirectional),
        synWithoutAck + other.synWithoutAck,
        synWithAck + other.synWithAck,
        Stream.concat(synCounts.stream(), other.synCounts.stream()).toList());
  }

  public SynReport synReport() {
    return SynReport.of(synCounts);
  }

  /** Listed flows of which not all gaps are known yet. */
  public List<UnsortedFlow> unsortedFlows() {
    return Stream.concat(topDirectional.stream(), topBidirectional.stream())
        .map(FlowSummary::unsorted)
        .filter(Objects::nonNull)
        .toList();
  }

  public TrafficSummary withGapsByTime(Map<UnsortedFlow, Gaps> found) {
    return with(
        topDirectional.stream().map(flow -> flow.withGapsByTime(found)).toList(),
        topBidirectional.stream().map(flow -> flow.withGapsByTime(found)).toList(),
        synCounts);
  }

  /** Without what only the report of SYNs is made of: there may be very many. */
  public TrafficSummary withoutSynCounts() {
    return with(topDirectional, topBidirectional, List.of());
  }

  private TrafficSummary with(
      List<FlowSummary> directional, List<FlowSummary> bidirectional, List<SynCount> syns) {
    return new TrafficSummary(
        packets,
        bytesWire,
        lost,
        saturatedLengths,
        times,
        classes,
        directionalFlows,
        bidirectionalFlows,
        directional,
        bidirectional,
        synWithoutAck,
        synWithAck,
        syns);
  }
}
