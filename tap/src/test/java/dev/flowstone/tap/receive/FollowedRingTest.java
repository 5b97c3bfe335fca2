// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.receive;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.model.StreamNumber;
import dev.flowstone.model.abi.DatagramFlag;
import dev.flowstone.tap.datagram.MadeDatagram;
import dev.flowstone.tap.datagram.MadeDatagram.Ancestor;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Each test is a course of datagrams and what comes of it. */
class FollowedRingTest {
  private final RecordedDeliveries deliveries = new RecordedDeliveries();
  private final FollowedRing ring = new FollowedRing(deliveries);

  private void accept(MadeDatagram datagram) {
    try (datagram) {
      ring.accept(datagram.memory(), 0);
    }
  }

  @Test
  void shouldTellExactlyWhatTheNetworkLost() {
    accept(MadeDatagram.ofPackets(0, 0, 10));
    accept(MadeDatagram.ofPackets(2, 30, 5));
    assertThat(deliveries.all)
        .containsExactly("packets 0 to 9", "lost 20 NETWORK", "packets 30 to 34");
  }

  @Test
  void shouldTellLossesOfTheSendersRingApartFromThoseOfTheNetwork() {
    accept(MadeDatagram.ofPackets(0, 0, 10));
    accept(MadeDatagram.ofPackets(1, 12, 1).lost(2, 0));
    accept(MadeDatagram.ofPackets(3, 50, 1).lost(9, 0));
    assertThat(deliveries.all)
        .containsExactly(
            "packets 0 to 9",
            "lost 2 RING",
            "packets 12 to 12",
            "lost 7 RING",
            "lost 30 NETWORK",
            "packets 50 to 50");
  }

  @Test
  void shouldPassOnWhatWasLostBeforeTheSendersTap() {
    accept(MadeDatagram.ofPackets(0, 0, 1).lost(0, 3));
    accept(MadeDatagram.heartbeat(1, 1).lost(0, 8));
    assertThat(deliveries.all)
        .containsExactly("lost 3 BEFORE_TAP", "packets 0 to 0", "lost 5 BEFORE_TAP", "time");
  }

  @Test
  void shouldNoticeALossAtTheTailByAHeartbeat() {
    accept(MadeDatagram.ofPackets(0, 0, 4));
    accept(MadeDatagram.heartbeat(2, 9));
    accept(MadeDatagram.heartbeat(3, 9));
    assertThat(deliveries.all).containsExactly("packets 0 to 3", "lost 5 NETWORK", "time", "time");
  }

  @Test
  void shouldCountNothingBeforeTheSenderBegan() {
    accept(MadeDatagram.ofPackets(0, 1_000, 3).start(1_000, 50).lost(0, 50));
    assertThat(deliveries.all).containsExactly("packets 1000 to 1002");
    assertThat(ring.packetsBeforeStart()).isEqualTo(1_000);
  }

  /** Whether it came late or the first datagrams were lost nobody knows; missing they are. */
  @Test
  void shouldTellWhatWasSentBeforeItHeardOfTheSender() {
    accept(MadeDatagram.ofPackets(70, 1_500, 3).start(1_000, 0).lost(100, 0));
    assertThat(deliveries.all)
        .containsExactly("lost 100 RING", "lost 400 AWAY", "packets 1500 to 1502");
  }

  @Test
  void shouldLeaveOutWhatASenderSendsOnceMoreThatWasStartedAgain() {
    accept(MadeDatagram.ofPackets(0, 0, 10));
    ring.beginRun(false);
    accept(MadeDatagram.ofPackets(0, 4, 4).start(4, 0).run(2, 2));
    accept(MadeDatagram.ofPackets(1, 8, 6).start(4, 0).run(2, 2));
    accept(MadeDatagram.ofPackets(2, 15, 1).start(4, 0).run(2, 2));
    assertThat(deliveries.all)
        .containsExactly(
            "packets 0 to 9",
            "repeated 4",
            "repeated 2",
            "packets 10 to 13",
            "lost 1 NETWORK",
            "packets 15 to 15");
  }

  @Test
  void shouldTellWhatCameBetweenTwoRuns() {
    accept(MadeDatagram.ofPackets(0, 0, 10));
    ring.beginRun(false);
    accept(MadeDatagram.ofPackets(0, 25, 1).start(25, 0).run(2, 2));
    assertThat(deliveries.all)
        .containsExactly("packets 0 to 9", "lost 15 AWAY", "packets 25 to 25");
  }

  @Test
  void shouldGoOnWhereAFormerReceiverStood() {
    ring.resume(new SenderPlace(StreamNumber.of(1, 0), 1, 100, 7, 0, Optional.empty()));
    accept(MadeDatagram.ofPackets(40, 130, 2).lost(0, 9));
    assertThat(deliveries.all)
        .containsExactly("lost 30 AWAY", "lost 2 BEFORE_TAP", "packets 130 to 131");
  }

  /** It may have told some of what the ring lost before that. */
  @Test
  void shouldNotBlameTheRingForWhatAFormerReceiverMayHaveTold() {
    ring.resume(new SenderPlace(StreamNumber.of(1, 0), 1, 1_000, 0, 0, Optional.empty()));
    accept(MadeDatagram.ofPackets(40, 1_030, 2).lost(600, 0));
    accept(MadeDatagram.ofPackets(41, 1_036, 1).lost(603, 0));
    assertThat(deliveries.all)
        .containsExactly(
            "lost 30 AWAY",
            "packets 1030 to 1031",
            "lost 3 RING",
            "lost 1 NETWORK",
            "packets 1036 to 1036");
  }

  /** The heartbeat knows how the earlier incarnation ended. */
  @Test
  void shouldTellTheRestOfAnIncarnationThatItDidNotHear() {
    accept(MadeDatagram.ofPackets(0, 0, 10).lost(0, 2));
    accept(MadeDatagram.ofPackets(5, 3, 2).incarnation(2));
    assertThat(deliveries.take())
        .containsExactly("lost 2 BEFORE_TAP", "packets 0 to 9", "lost 3 NETWORK", "packets 3 to 4");
    accept(MadeDatagram.heartbeat(6, 5).incarnation(2).lineage(new Ancestor(1, 14, 5)));
    assertThat(deliveries.all).containsExactly("lost 7 AWAY", "time");
  }

  @Test
  void shouldTellOfAnIncarnationOfWhichItHeardNothing() {
    accept(MadeDatagram.ofPackets(0, 0, 10));
    accept(
        MadeDatagram.heartbeat(9, 0)
            .incarnation(3)
            .lineage(new Ancestor(2, 100, 1), new Ancestor(1, 12, 0), new Ancestor(9, 50, 50)));
    assertThat(deliveries.all).containsExactly("packets 0 to 9", "lost 103 AWAY", "time");
  }

  @Test
  void shouldCloseAGapOverTwoIncarnationsOnce() {
    accept(MadeDatagram.ofPackets(0, 0, 10));
    accept(MadeDatagram.ofPackets(1, 0, 5).incarnation(2));
    accept(MadeDatagram.ofPackets(2, 0, 1).incarnation(3));
    Ancestor[] lineage = {new Ancestor(2, 8, 0), new Ancestor(1, 11, 0)};
    accept(MadeDatagram.heartbeat(3, 1).incarnation(3).lineage(lineage));
    accept(MadeDatagram.heartbeat(4, 1).incarnation(3).lineage(lineage));
    assertThat(deliveries.all)
        .containsExactly(
            "packets 0 to 9", "packets 0 to 4", "packets 0 to 0", "lost 4 AWAY", "time", "time");
  }

  @Test
  void shouldSayWhenNobodyKnowsWhatWasMissed() {
    accept(MadeDatagram.ofPackets(0, 0, 10));
    accept(MadeDatagram.heartbeat(1, 0).incarnation(9).lineage(new Ancestor(8, 1, 0)));
    assertThat(deliveries.all).containsExactly("packets 0 to 9", "unknown", "time");
  }

  @Test
  void shouldBeginAnewWithARingOfAnotherFolder() {
    accept(MadeDatagram.ofPackets(0, 0, 10));
    accept(MadeDatagram.ofPackets(1, 500, 1).tap(2).start(500, 0));
    assertThat(deliveries.all).containsExactly("packets 0 to 9", "packets 500 to 500");
  }

  @Test
  void shouldTellTimeOnlyWhereThereIsARealOne() {
    accept(MadeDatagram.heartbeat(0, 0).flags(DatagramFlag.CLOCK_KNOWN));
    accept(MadeDatagram.heartbeat(1, 0).flags(0));
    accept(MadeDatagram.ofPackets(2, 0, 1).flags(DatagramFlag.CLOCK_KNOWN));
    assertThat(deliveries.all).containsExactly("packets 0 to 0 untimed");
  }

  @Test
  void shouldKnowThatTheRingEndedUntilAnotherRunBegins() {
    accept(MadeDatagram.heartbeat(0, 0));
    assertThat(ring.isEnded()).isFalse();
    accept(MadeDatagram.heartbeat(1, 0).flags(DatagramFlag.RING_ENDED));
    assertThat(ring.isEnded()).isTrue();
    ring.beginRun(false);
    assertThat(ring.isEnded()).isFalse();
  }

  @Test
  void shouldTakeNothingOfAHello() {
    accept(MadeDatagram.hello(0).incarnation(77));
    assertThat(deliveries.all).isEmpty();
    assertThat(ring.isFollowing()).isFalse();
  }
}
