// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.traffic.synthetic;

import dev.flowstone.raw.SourceCounters;
import dev.flowstone.traffic.synthetic.FlowTraits.Protocol;
import dev.flowstone.traffic.synthetic.SyntheticTruth.FlowFigures;
import dev.flowstone.traffic.synthetic.SyntheticTruth.SynWindow;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Adds up what the flows of a finished run have sent. */
final class TruthCollector {
  private final Flow[] flows;
  private final FlowLedger ledger;
  private final Optional<SynFloodTraffic> flood;
  private final Optional<MicroburstTraffic> microbursts;
  private final Map<String, Long> classes = new TreeMap<>();
  private long directionalTuples;
  private long bidirectionalTuples;

  TruthCollector(
      Flow[] flows,
      FlowLedger ledger,
      Optional<SynFloodTraffic> flood,
      Optional<MicroburstTraffic> microbursts) {
    this.flows = flows;
    this.ledger = ledger;
    this.flood = flood;
    this.microbursts = microbursts;
  }

  SyntheticTruth collect(
      SyntheticOptions options, SourceCounters counters, Endpoint victim, long lastNs) {
    for (Flow flow : flows) {
      addFlow(flow);
    }
    flood.ifPresent(this::addFlood);
    microbursts.ifPresent(this::addMicrobursts);
    List<SynWindow> windows =
        ledger.synWindows().close().stream().map(entry -> window(entry, victim)).toList();
    return new SyntheticTruth(
        counters.packets(),
        counters.wireBytes(),
        counters.capturedBytes(),
        options.startNs(),
        lastNs,
        Collections.unmodifiableMap(classes),
        directionalTuples,
        bidirectionalTuples,
        ledger.syns(),
        ledger.synAcks(),
        ledger.fins(),
        ledger.synWindows().overCount(),
        windows,
        flood.filter(f -> f.packets > 0).map(f -> f.figures(victim)),
        figures(ledger.topDirectional()),
        figures(ledger.topBidirectional()));
  }

  private void addFlow(Flow flow) {
    ledger.lifeEnded(flow);
    FlowTraits traits = flow.traits;
    count(traits.protocol().name().toLowerCase(Locale.ROOT), flow.packets());
    if (traits.protocol() == Protocol.ARP) {
      count("nonip", flow.packets());
    } else {
      count(traits.ipv6() ? "ipv6" : "ipv4", flow.packets());
    }
    if (traits.vlan() != 0) {
      count("vlan", flow.packets());
    }
    directionalTuples += flow.directionalTuples();
    bidirectionalTuples += flow.bidirectionalTuples();
  }

  private void addFlood(SynFloodTraffic traffic) {
    count("tcp", traffic.packets);
    count("ipv4", traffic.packets);
    count("syn_flood", traffic.packets);
    directionalTuples += traffic.distinctTuples();
    bidirectionalTuples += traffic.distinctTuples();
  }

  private void addMicrobursts(MicroburstTraffic traffic) {
    count("udp", traffic.packets);
    count("ipv4", traffic.packets);
    count("microburst", traffic.packets);
    if (ledger.topDirectional().wants(traffic.packets)) {
      ledger.topDirectional().offer(traffic.tuple(), traffic.figures());
    }
    if (ledger.topBidirectional().wants(traffic.packets)) {
      ledger.topBidirectional().offer(traffic.tuple().canonical(), traffic.figures());
    }
    directionalTuples += Long.signum(traffic.packets);
    bidirectionalTuples += Long.signum(traffic.packets);
  }

  private void count(String kind, long packets) {
    classes.merge(kind, packets, Long::sum);
  }

  private SynWindow window(SynWindows.Entry entry, Endpoint victim) {
    Endpoint destination =
        entry.destination() < flows.length ? flows[entry.destination()].server : victim;
    return new SynWindow(entry.windowStartNs(), destination.text(), entry.syns());
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
