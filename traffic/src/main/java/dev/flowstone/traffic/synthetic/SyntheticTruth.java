// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.traffic.synthetic;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a synthetic run has sent, to compare with what arrives. Definitions as in packet analysis at
 * large: a SYN has SYN and not ACK; SYN windows are 5 s, aligned to the epoch; a bidirectional
 * tuple starts with the endpoint of the smaller address, then port; VLAN ids are no part of it.
 *
 * @param classes packets by kind: ipv4, ipv6, tcp, udp, icmp, vlan, scan, syn_flood, microburst
 * @param synsOver10ByDestination every window and destination with more than 10 SYNs, at most
 *     {@value SynWindows#MAX_LISTED}
 * @param topDirectional the largest flows, at most {@value TopFlows#KEPT}
 */
public record SyntheticTruth(
    long packets,
    long wireBytes,
    long capturedBytes,
    long firstNs,
    long lastNs,
    Map<String, Long> classes,
    long directionalTuples,
    long bidirectionalTuples,
    long syns,
    long synAcks,
    long fins,
    long synWindowsOver10,
    List<SynWindow> synsOver10ByDestination,
    Optional<Flood> flood,
    List<FlowFigures> topDirectional,
    List<FlowFigures> topBidirectional) {

  /** SYNs to one destination in one window. */
  public record SynWindow(long windowStartNs, String destination, int syns) {}

  /** The flood as it came: last packet's time is {@code lastNs}. */
  public record Flood(long startNs, long lastNs, String victim, long packets) {}

  /** One flow; gaps are empty below two packets. */
  public record FlowFigures(
      String source,
      String destination,
      int protocol,
      int sourcePort,
      int destinationPort,
      long packets,
      long bytes,
      long firstNs,
      long lastNs,
      Optional<Long> minGapNs,
      Optional<Long> maxGapNs) {}

  /** As JSON, with the names that packet analysis results have elsewhere in the project. */
  public String toJson() {
    return new TruthJson(this).text();
  }

  public void write(Path file) {
    try {
      Files.writeString(file, toJson());
    } catch (IOException e) {
      throw new UncheckedIOException(file + ": the truth of the run cannot be written there", e);
    }
  }
}
