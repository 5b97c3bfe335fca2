// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.anomaly;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.jobs.anomaly.alert.Alert;
import dev.flowstone.jobs.anomaly.alert.Alert.State;
import dev.flowstone.jobs.anomaly.alert.SynWindow;
import dev.flowstone.rules.function.Detector;
import dev.flowstone.rules.function.Detector.Baseline;
import dev.flowstone.rules.function.Detector.Kind;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Labeled attacks in benign traffic. */
@SuppressWarnings("try") // Its close throws whatever the operators' do.
class AttacksTest {
  private static final long NS_PER_SECOND = 1_000_000_000;
  private static final long NS_PER_MS = 1_000_000;
  private static final Duration WINDOW = Duration.ofSeconds(5);
  private static final int BEGIN_SECONDS = 7;
  private static final int END_SECONDS = 21;
  private static final Duration BENIGN_LENGTH = Duration.ofSeconds(34);

  private static List<PacketBlock> benign;

  @BeforeAll
  static void recordBenignTraffic() throws Exception {
    benign = BenignTraffic.record(BENIGN_LENGTH);
  }

  @AfterAll
  static void releaseBenignTraffic() {
    benign = null;
  }

  /** As the README has them. */
  static long threshold(Kind kind) {
    return switch (kind) {
      case SYN_FLOOD -> 500;
      case UDP_FLOOD -> 20_000;
      case ICMP_FLOOD -> 1_000;
      case RST_FLOOD -> 1_000;
      case AMPLIFICATION -> 1_000;
      case PORT_SCAN -> 100;
      case HOST_SCAN -> 200;
    };
  }

  private static int rate(Kind kind) {
    return (int) (threshold(kind) * 2 / WINDOW.toSeconds());
  }

  private static Detector[] all(Duration slide) {
    return Arrays.stream(Kind.values())
        .map(kind -> DetectorRun.detector(kind, threshold(kind), WINDOW, slide))
        .toArray(Detector[]::new);
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void shouldFindItWithinTwoWindowsAndCloseItAfterItsEnd(Kind kind) throws Exception {
    List<Alert> alerts = find(kind, all(WINDOW));
    requireOneAlert(kind, alerts);
    assertThat(alerts).extracting(Alert::state).contains(State.UPDATED);
    assertThat(alerts)
        .filteredOn(alert -> alert.state() != State.CLOSED)
        .allSatisfy(alert -> assertThat(alert.observed()).isGreaterThan(alert.limit()));
  }

  /** One of each way in which panes are combined: sums, distinct counts, pairs. */
  @ParameterizedTest
  @EnumSource(names = {"SYN_FLOOD", "PORT_SCAN", "AMPLIFICATION"})
  void shouldFindItInSlidingWindows(Kind kind) throws Exception {
    requireFoundInSlidingWindows(kind);
  }

  @ParameterizedTest
  @EnumSource(
      names = {"SYN_FLOOD", "PORT_SCAN", "AMPLIFICATION"},
      mode = EnumSource.Mode.EXCLUDE)
  @Tag("slow")
  void shouldFindOtherKindsInSlidingWindows(Kind kind) throws Exception {
    requireFoundInSlidingWindows(kind);
  }

  private static void requireFoundInSlidingWindows(Kind kind) throws Exception {
    List<Alert> alerts = find(kind, all(Duration.ofSeconds(1)));
    requireOneAlert(kind, alerts);
    // An update each second.
    assertThat(alerts).hasSizeGreaterThan(END_SECONDS - BEGIN_SECONDS - 4);
    assertThat(alerts).extracting(Alert::pane).doesNotHaveDuplicates();
  }

  private static void requireOneAlert(Kind kind, List<Alert> alerts) {
    Attack attack = attack(kind);
    assertThat(alerts).extracting(alert -> alert.terms().kind()).containsOnly(kind);
    assertThat(alerts)
        .extracting(alert -> alert.subject().toString())
        .containsOnly(attack.subject());
    assertThat(alerts).extracting(Alert::id).containsOnly(alerts.getFirst().id());
    assertThat(alerts.getFirst().state()).isEqualTo(State.OPENED);
    assertThat(alerts.getFirst().timeNs())
        .isBetween(attack.beginNs(), attack.beginNs() + 2 * WINDOW.toNanos());
    assertThat(alerts.getLast().state()).isEqualTo(State.CLOSED);
    assertThat(alerts.getLast().timeNs())
        .isBetween(attack.endNs(), attack.endNs() + 2 * WINDOW.toNanos());
    assertThat(alerts)
        .filteredOn(alert -> alert.state() != State.UPDATED)
        .extracting(Alert::state)
        .containsExactly(State.OPENED, State.CLOSED);
    requireItsPackets(attack, alerts.getLast());
  }

  /** All of it but for what came before its first window or after the last one above the limit. */
  private static void requireItsPackets(Attack attack, Alert closed) {
    List<TestPacket> sent = attack.packets(0);
    assertThat(closed.attack().packets())
        .isBetween(sent.size() * 6L / 10, (long) (sent.size() * 1.02));
    assertThat(closed.attack().first().timeNs())
        .isBetween(attack.beginNs() - WINDOW.toNanos(), attack.beginNs() + WINDOW.toNanos());
    assertThat(closed.attack().last().timeNs())
        .isBetween(attack.endNs() - WINDOW.toNanos(), attack.endNs() + WINDOW.toNanos());
    if (attack.kind() == Kind.PORT_SCAN) {
      assertThat(closed.topPeers().getFirst().share()).isGreaterThan(0.9);
    }
  }

  private static Attack attack(Kind kind) {
    return new Attack(
        kind,
        BenignTraffic.START_NS + BEGIN_SECONDS * NS_PER_SECOND,
        BenignTraffic.START_NS + END_SECONDS * NS_PER_SECOND,
        rate(kind));
  }

  private static List<Alert> find(Kind kind, Detector... detectors) throws Exception {
    Deque<PacketBlock> attack = new ArrayDeque<>();
    TestPacket.blocks(attack(kind).packets(99), attack::add);
    try (DetectorRun run = DetectorRun.of(detectors)) {
      for (PacketBlock block : benign) {
        while (!attack.isEmpty() && attack.getFirst().timeNs(0) <= block.lastTimeNs()) {
          run.give(attack.remove());
        }
        run.give(block);
        run.mark(block.lastTimeNs() / NS_PER_MS - 1001);
      }
      List<Alert> alerts = run.end();
      assertThat(run.isForgotten()).as("kept in the end").isTrue();
      return alerts;
    }
  }

  @Test
  void shouldGiveNoAlertInUsualTraffic() throws Exception {
    try (DetectorRun run = DetectorRun.of(silent(Duration.ofSeconds(1)))) {
      for (PacketBlock block : benign) {
        giveAndMark(run, block);
      }
      requireSilence(run);
    }
  }

  /** Some minutes: 100 million packets are made, and 72 million looked at. */
  @Test
  @Tag("slow")
  void shouldGiveNoAlertInAnHourOfUsualTraffic() throws Exception {
    Duration hour = Duration.ofHours(1);
    AtomicLong packets = new AtomicLong();
    try (DetectorRun run = DetectorRun.of(silent(Duration.ofSeconds(1)))) {
      BenignTraffic.each(
          hour,
          block -> {
            packets.addAndGet(block.count());
            giveAndMark(run, block);
          });
      requireSilence(run);
    }
    assertThat(packets.get())
        .isGreaterThanOrEqualTo(hour.toSeconds() * BenignTraffic.PACKETS_PER_SECOND);
  }

  /**
   * Those of the README; one of SYNs that would tell of each busy server, if handshakes were not
   * asked for; and some with half of their thresholds that learn what is usual.
   */
  private static Detector[] silent(Duration slide) {
    List<Detector> detectors = new ArrayList<>(List.of(all(slide)));
    detectors.add(
        new Detector(
            Kind.SYN_FLOOD, 20, List.of(), WINDOW, slide, Optional.empty(), Optional.of(20)));
    Baseline usual = new Baseline(3, Duration.ofMinutes(1));
    for (Kind kind : List.of(Kind.UDP_FLOOD, Kind.RST_FLOOD, Kind.HOST_SCAN)) {
      detectors.add(
          new Detector(
              kind,
              threshold(kind) / 2,
              List.of(),
              WINDOW,
              slide,
              Optional.of(usual),
              Optional.empty()));
    }
    return detectors.toArray(Detector[]::new);
  }

  private static void giveAndMark(DetectorRun run, PacketBlock block) throws Exception {
    run.give(block);
    run.mark(block.lastTimeNs() / NS_PER_MS - 1);
  }

  private static void requireSilence(DetectorRun run) throws Exception {
    assertThat(run.end()).isEmpty();
    assertThat(run.synWindows()).extracting(SynWindow::detector).containsOnly("syn_flood-2");
  }
}
