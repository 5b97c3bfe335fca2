// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.traffic.synthetic;

import dev.flowstone.raw.SourceCounters;
import dev.flowstone.traffic.synthetic.SyntheticTruth.FlowFigures;
import dev.flowstone.traffic.synthetic.SyntheticTruth.SynWindow;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Adds up what a finished run has sent. */
final class TruthCollector {
  private final FlowLedger ledger;
  private final Hosts hosts;
  private final Map<String, Long> classes = new TreeMap<>();
  private Optional<SyntheticTruth.Flood> flood = Optional.empty();

  TruthCollector(FlowLedger ledger, Hosts hosts) {
    this.ledger = ledger;
    this.hosts = hosts;
  }

  void add(Flow flow) {
    ledger.lifeEnded(flow);
    count(flow.traits, flow.packets());
  }

  void add(SinglePackets singles) {
    singles.count(this::count);
    count("scan", singles.scans());
  }

  void add(SynFloodTraffic traffic) {
    count("tcp", traffic.packets);
    count("ipv4", traffic.packets);
    count("syn_flood", traffic.packets);
    ledger.oneWayTuples(traffic.distinctTuples());
    if (traffic.packets > 0) {
      flood = Optional.of(traffic.figures());
    }
  }

  void add(MicroburstTraffic traffic) {
    count("udp", traffic.packets);
    count("ipv4", traffic.packets);
    count("microburst", traffic.packets);
    ledger.oneWay(traffic.tuple(), traffic.figures());
    ledger.oneWayTuples(Long.signum(traffic.packets));
  }

  private void count(FlowTraits traits, long packets) {
    count(traits.protocol().name().toLowerCase(Locale.ROOT), packets);
    count(traits.ipv6() ? "ipv6" : "ipv4", packets);
    if (traits.vlan() != 0) {
      count("vlan", packets);
    }
  }

  private void count(String kind, long packets) {
    if (packets > 0) {
      classes.merge(kind, packets, Long::sum);
    }
  }

  SyntheticTruth collect(SyntheticOptions options, SourceCounters counters, long lastNs) {
    List<SynWindow> windows = ledger.synWindows().close().stream().map(this::window).toList();
    return new SyntheticTruth(
        counters.packets(),
        counters.wireBytes(),
        counters.capturedBytes(),
        options.startNs(),
        lastNs,
        Collections.unmodifiableMap(classes),
        ledger.directionalTuples(),
        ledger.bidirectionalTuples(),
        ledger.syns(),
        ledger.synAcks(),
        ledger.fins(),
        ledger.synWindows().overCount(),
        windows,
        flood,
        figures(ledger.topDirectional()),
        figures(ledger.topBidirectional()));
  }

  private SynWindow window(SynWindows.Entry entry) {
    return new SynWindow(
        entry.windowStartNs(), hosts.destinationText(entry.destination()), entry.syns());
  }

  private static List<FlowFigures> figures(TopFlows top) {
    return top.entries().stream().map(TruthCollector::figures).toList();
  }

  private static FlowFigures figures(TopFlows.Entry entry) {
    FlowTuple tuple = entry.tuple();
    TallyFigures figures = entry.figures();
    boolean hasGaps = figures.packets() > 1;
    return new FlowFigures(
        tuple.source().text(),
        tuple.destination().text(),
        tuple.protocol(),
        tuple.sourcePort(),
        tuple.destinationPort(),
        figures.packets(),
        figures.wireBytes(),
        figures.firstNs(),
        figures.lastNs(),
        hasGaps ? Optional.of(figures.minGapNs()) : Optional.empty(),
        hasGaps ? Optional.of(figures.maxGapNs()) : Optional.empty());
  }
}
