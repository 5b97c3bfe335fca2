// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.traffic.synthetic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What the traffic of a backbone is like, as an analyser sees it. */
class BackboneTest {
  private static final SyntheticOptions OPTIONS = SyntheticOptions.defaults().withPackets(500_000);
  private static SeenTraffic seen;
  private static long scans;

  @BeforeAll
  static void look() {
    try (SyntheticSource source = new SyntheticSource(OPTIONS)) {
      seen = SeenTraffic.of(source, 1024);
      scans = source.truth().classes().get("scan");
    }
  }

  private static double share(String kind) {
    return seen.classes.getOrDefault(kind, 0L) / (double) seen.packets;
  }

  @Test
  void shouldHaveHalfOfItsFlowsOfOnePacket() {
    long singles = seen.bidirectional.values().stream().filter(flow -> flow.packets == 1).count();
    assertThat(singles / (double) seen.bidirectional.size()).isCloseTo(0.5, within(0.03));
  }

  @Test
  void shouldBeAQuarterUdp() {
    assertThat(share("udp")).isCloseTo(0.25, within(0.02));
    assertThat(share("icmp")).isCloseTo(0.01, within(0.005));
    assertThat(share("ipv6")).isCloseTo(1.0 / 7, within(0.02));
    assertThat(share("vlan")).isBetween(0.05, 0.11);
  }

  @Test
  void shouldSendOneSegmentInAHundredAgainAndSomeOutOfOrder() {
    // 1 % again and 0.6 % later than the next; nobody sees those of which only one copy came.
    assertThat(seen.lateSegments / (double) seen.dataSegments).isCloseTo(0.016, within(0.002));
    assertThat(seen.sequenceErrors).isZero();
    assertThat(seen.acknowledgementErrors).isZero();
  }

  @Test
  void shouldSendTrainsOfGeometricLength() {
    assertThat(meanRun(seen)).isCloseTo(4, within(0.5));
    try (SyntheticSource source =
        new SyntheticSource(OPTIONS.withPackets(150_000).withTrainPackets(16))) {
      assertThat(meanRun(SeenTraffic.of(source, 1024))).isCloseTo(16, within(2.0));
    }
  }

  /** Of flows that are longer than most trains. */
  private static double meanRun(SeenTraffic traffic) {
    return traffic.runs.stream()
        .filter(run -> traffic.bidirectional.containsKey(run.getKey()))
        .filter(run -> traffic.bidirectional.get(run.getKey()).packets > 200)
        .mapToInt(Map.Entry::getValue)
        .average()
        .orElseThrow();
  }

  @Test
  void shouldVaryWhatRealHostsVary() {
    assertThat(seen.timesToLive).hasSizeGreaterThan(50);
    assertThat(seen.windows).hasSizeGreaterThan(10_000);
    assertThat(seen.wireSizes).hasSizeGreaterThan(1_000);
    double partial = seen.partialSegments / (double) seen.dataSegments;
    assertThat(partial).isBetween(0.1, 0.4);
  }

  @Test
  void shouldSeeOneDirectionOnlyOfMoreThanAThirdOfLongFlows() {
    List<String> longFlows =
        seen.bidirectional.entrySet().stream()
            .filter(flow -> flow.getValue().packets > 20)
            .map(Map.Entry::getKey)
            .toList();
    long oneWay =
        longFlows.stream().filter(flow -> !seen.directional.containsKey(back(flow))).count();
    assertThat(oneWay / (double) longFlows.size()).isBetween(0.35, 0.65);
  }

  private static String back(String flow) {
    String[] parts = flow.split(" ", -1);
    return SeenTraffic.key(
        parts[1],
        parts[0],
        Integer.parseInt(parts[2]),
        Integer.parseInt(parts[4]),
        Integer.parseInt(parts[3]));
  }

  @Test
  void shouldComeFromManyScatteredHostsOfWhichSomeAreBusy() {
    Map<String, Integer> flowsByHost = new HashMap<>();
    seen.bidirectional
        .keySet()
        .forEach(flow -> flowsByHost.merge(flow.split(" ", -1)[0], 1, Integer::sum));
    int[] flows = flowsByHost.values().stream().mapToInt(Integer::intValue).sorted().toArray();
    assertThat(flows.length).isGreaterThan(10_000);
    int busiest = Arrays.stream(flows, flows.length - flows.length / 100, flows.length).sum();
    assertThat(busiest / (double) Arrays.stream(flows).sum()).isGreaterThan(0.3);
    Set<String> networks = new HashSet<>();
    flowsByHost.keySet().forEach(host -> networks.add(host.split("[.:]", -1)[0]));
    assertThat(networks).hasSizeGreaterThan(80);
  }

  @Test
  void shouldSendEverySegmentOnceAndInOrderWhenAsked() {
    SyntheticOptions orderly = SyntheticOptions.preset("orderly").withPackets(200_000);
    try (SyntheticSource source = new SyntheticSource(orderly)) {
      SeenTraffic traffic = SeenTraffic.of(source, 1024);
      assertThat(traffic.dataSegments).isGreaterThan(50_000);
      assertThat(traffic.lateSegments + traffic.gaps).isZero();
      assertThat(traffic.syns).isEqualTo(traffic.begunWithSyn).isPositive();
      assertThat(traffic.classes).doesNotContainKey("scan");
    }
  }

  @Test
  void shouldBeScannedButForTheBenignPreset() {
    assertThat(scans / (double) seen.bidirectional.size()).isBetween(0.1, 0.3);
    SyntheticOptions benign = SyntheticOptions.preset("benign").withPackets(250_000);
    try (SyntheticSource source = new SyntheticSource(benign)) {
      SeenTraffic harmless = SeenTraffic.of(source, 1024);
      assertThat(source.truth().classes()).doesNotContainKey("scan");
      long singles =
          harmless.bidirectional.values().stream().filter(flow -> flow.packets == 1).count();
      assertThat(singles / (double) harmless.bidirectional.size()).isCloseTo(0.5, within(0.05));
    }
  }
}
