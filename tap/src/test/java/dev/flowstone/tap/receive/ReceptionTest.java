// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.receive;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.model.abi.DatagramFlag;
import dev.flowstone.model.abi.RingClock;
import dev.flowstone.model.abi.TelemetryDatagramLayout;
import dev.flowstone.offheap.ring.GatingReader;
import dev.flowstone.offheap.ring.RingCounters;
import dev.flowstone.offheap.ring.RingDirectory;
import dev.flowstone.offheap.ring.RingFile;
import dev.flowstone.offheap.ring.RingFileException;
import dev.flowstone.offheap.ring.RingReader.Poll;
import dev.flowstone.offheap.ring.RingSetWriter;
import dev.flowstone.offheap.ring.RingStart;
import dev.flowstone.tap.datagram.DatagramBuffer;
import dev.flowstone.tap.datagram.DatagramKey;
import dev.flowstone.tap.datagram.MadeDatagram;
import dev.flowstone.tap.datagram.MadeDatagram.Ancestor;
import dev.flowstone.tap.datagram.Refusal;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReceptionTest {
  private static final InetSocketAddress SENDER =
      new InetSocketAddress(InetAddress.ofLiteral("192.0.2.1"), 4001);
  private static final InetSocketAddress OTHER =
      new InetSocketAddress(InetAddress.ofLiteral("192.0.2.2"), 4002);

  private static final DatagramKey KEY = DatagramKey.of(new byte[DatagramKey.MIN_BYTES]);

  @TempDir Path folder;

  private final List<String> said = new ArrayList<>();
  private Reception reception;
  private long nowNs = TimeUnit.HOURS.toNanos(1);

  @BeforeEach
  void begin() {
    begin(new TestRings(folder), new ReceiveOptions(8, Duration.ofMillis(50)));
  }

  private void begin(RingMaker maker, ReceiveOptions options) {
    reception = new Reception(maker, options, said::add, _ -> said.add("made"));
  }

  private void beginWithKey() {
    reception.close();
    begin(
        new TestRings(folder), new ReceiveOptions(8, Duration.ofMillis(50), 16, Optional.of(KEY)));
  }

  @AfterEach
  void close() {
    reception.close();
  }

  private void startAgain() {
    reception.close();
    said.clear();
    begin();
  }

  private void accept(MadeDatagram datagram) {
    accept(datagram, SENDER);
  }

  private void accept(MadeDatagram datagram, InetSocketAddress from) {
    try (datagram) {
      reception.accept(datagram.checked(), datagram.lengthBytes(), from, nowNs);
    }
  }

  private void acceptTagged(MadeDatagram datagram) {
    try (datagram) {
      DatagramBuffer tagged = datagram.tagged(KEY);
      reception.accept(tagged, datagram.lengthBytes(), SENDER, nowNs);
    }
  }

  private void waitForWhatIsMissing() {
    nowNs += TimeUnit.SECONDS.toNanos(1);
    reception.lookAtTime(nowNs);
  }

  private long refused(Refusal reason) {
    return reception.counters().refused().get(reason);
  }

  private RingFile ring(int number) {
    return RingFile.open(new TestRings(folder).directory().ringFile(number));
  }

  @Test
  void shouldMakeRingsLikeTheSendersWhenItIsHeard() {
    assertThat(folder).isEmptyDirectory();
    accept(MadeDatagram.hello(0).rings(3).ring(2));
    assertThat(said)
        .containsExactly(
            "made",
            "receives from 192.0.2.1:4001: run 0000000000000001 of a sender with 3 rings, 128 key"
                + " groups, clock wall");
    try (RingFile ring = ring(2)) {
      assertThat(ring.identity().ringCount()).isEqualTo(3);
      assertThat(ring.identity().maxParallelism()).isEqualTo(128);
      assertThat(ring.identity().clock()).isEqualTo(RingClock.WALL);
    }
  }

  @Test
  void shouldWriteEachRingsPacketsIntoThatRingAndLossesIntoTheFirst() {
    accept(MadeDatagram.ofPackets(0, 0, 5).rings(2).ring(1));
    accept(MadeDatagram.ofPackets(0, 0, 3).rings(2).ring(0));
    accept(MadeDatagram.ofPackets(1, 25, 5).rings(2).ring(1).lost(4, 6));
    try (RingFile first = ring(0);
        RingFile second = ring(1)) {
      assertThat(first.counters().writtenPackets()).isEqualTo(3);
      assertThat(first.counters().lostBeforeTap()).isEqualTo(26);
      assertThat(second.counters().writtenPackets()).isEqualTo(10);
      assertThat(second.counters().lostBeforeTap()).isZero();
      assertThat(second.counters().offeredBytes()).isEqualTo(1000);
    }
    ReceiveCounters.OfRing counters = reception.counters().rings().get(1);
    assertThat(counters.packets()).isEqualTo(10);
    assertThat(counters.lost())
        .containsEntry(LossCause.RING, 4L)
        .containsEntry(LossCause.NETWORK, 16L)
        .containsEntry(LossCause.BEFORE_TAP, 6L)
        .containsEntry(LossCause.AWAY, 0L);
  }

  @Test
  void shouldTellAQuietRingTheTimeOfTheSenders() {
    accept(MadeDatagram.ofPackets(0, 0, 1));
    accept(
        MadeDatagram.heartbeat(1, 1)
            .set(
                TelemetryDatagramLayout.TIME_BASE_NS_OFFSET,
                MadeDatagram.TIME_NS + TimeUnit.SECONDS.toNanos(5)));
    try (RingFile ring = ring(0);
        GatingReader reader = new GatingReader(ring, "looks", RingStart.OLDEST)) {
      assertThat(reader.poll(9)).isEqualTo(Poll.CLOCK);
      assertThat(reader.time().baseNs()).isEqualTo(MadeDatagram.TIME_NS);
      assertThat(reader.poll(9)).isEqualTo(Poll.PACKETS);
      assertThat(reader.poll(9)).isEqualTo(Poll.CLOCK);
      assertThat(reader.time().baseNs())
          .isEqualTo(MadeDatagram.TIME_NS + TimeUnit.SECONDS.toNanos(5));
    }
  }

  @Test
  void shouldSayOfPacketsThatNoClockTimedThatTheyAreNot() {
    accept(MadeDatagram.ofPackets(0, 0, 1));
    accept(MadeDatagram.ofPackets(1, 1, 1).flags(DatagramFlag.CLOCK_KNOWN));
    try (RingFile ring = ring(0);
        GatingReader reader = new GatingReader(ring, "looks", RingStart.OLDEST)) {
      reader.poll(9);
      assertThat(reader.poll(9)).isEqualTo(Poll.PACKETS);
      assertThat(reader.time().isTrusted()).isTrue();
      reader.poll(9);
      assertThat(reader.poll(9)).isEqualTo(Poll.PACKETS);
      assertThat(reader.time().isTrusted()).isFalse();
    }
  }

  @Test
  void shouldRefuseASecondSenderWithOneLineAndCountItsDatagrams() {
    accept(MadeDatagram.ofPackets(0, 0, 5).run(1, 1));
    said.clear();
    for (int i = 0; i < 50; i++) {
      accept(MadeDatagram.ofPackets(i, i, 1).run(2, 2).tap(7), OTHER);
    }
    assertThat(refused(Refusal.OTHER_SENDER)).isEqualTo(50);
    assertThat(said)
        .containsExactly(
            "another sender, run 0000000000000002 at 192.0.2.2:4002, sends here as well and is"
                + " refused: give each sender a receiver of its own (another --listen and --rings)");
    nowNs += TimeUnit.SECONDS.toNanos(9);
    accept(MadeDatagram.ofPackets(1, 5, 1).run(1, 1));
    nowNs += TimeUnit.SECONDS.toNanos(2);
    accept(MadeDatagram.ofPackets(50, 50, 1).run(2, 2).tap(7), OTHER);
    assertThat(said).hasSize(2);
    assertThat(reception.counters().packets()).isEqualTo(6);
    assertThat(reception.counters().runs()).isEqualTo(1);
  }

  @Test
  void shouldListenToTheNextSenderWhenTheFirstHasLeft() {
    accept(MadeDatagram.ofPackets(0, 0, 5).run(1, 1));
    accept(MadeDatagram.heartbeat(1, 5).run(1, 1).flags(DatagramFlag.SENDER_LEAVES));
    accept(MadeDatagram.ofPackets(0, 70, 2).run(2, 2).tap(7).start(70, 0), OTHER);
    assertThat(reception.counters().packets()).isEqualTo(7);
    assertThat(reception.counters().lostPackets()).isZero();
    assertThat(reception.counters().runs()).isEqualTo(2);
  }

  @Test
  void shouldAccountForEverythingUpToASenderThatWasStartedAgain() {
    accept(MadeDatagram.ofPackets(0, 0, 5).run(1, 1));
    accept(MadeDatagram.ofPackets(2, 8, 2).run(1, 1));
    assertThat(reception.counters().waiting()).isEqualTo(1);
    accept(MadeDatagram.ofPackets(0, 20, 1).run(2, 2).start(20, 0));
    accept(MadeDatagram.ofPackets(1, 5, 3).run(1, 1));
    ReceiveCounters.OfRing ring = reception.counters().rings().getFirst();
    assertThat(ring.packets()).isEqualTo(8);
    assertThat(ring.lost()).containsEntry(LossCause.NETWORK, 3L).containsEntry(LossCause.AWAY, 10L);
    assertThat(refused(Refusal.FORMER_RUN)).isEqualTo(1);
  }

  @Test
  void shouldRefuseASenderWithOtherRings() {
    accept(MadeDatagram.ofPackets(0, 0, 1).rings(2).run(1, 1));
    said.clear();
    accept(MadeDatagram.hello(0).rings(4).run(2, 2));
    assertThat(refused(Refusal.ARRANGEMENT)).isEqualTo(1);
    assertThat(said)
        .containsExactly(
            "192.0.2.1:4001 sends of 4 rings, 128 key groups, clock wall, but the rings here are 2"
                + " rings, 128 key groups, clock wall: start tap receive again");
    accept(MadeDatagram.hello(1).rings(2).run(1, 1));
    accept(MadeDatagram.hello(2).rings(4).run(1, 1));
    assertThat(refused(Refusal.CONTENT)).as("a run does not change its rings").isEqualTo(1);
  }

  @Test
  void shouldMakeNoRingsForAnUnknownOrderOfKeyGroups() {
    accept(MadeDatagram.hello(0).set(TelemetryDatagramLayout.KEY_GROUPS_OFFSET, 77));
    assertThat(refused(Refusal.ARRANGEMENT)).isEqualTo(1);
    assertThat(said).hasSize(1).first().asString().contains("in an order of their own");
    assertThat(folder).isEmptyDirectory();
  }

  @Test
  void shouldSayWhenTheSenderIsSilentAndWhenItIsBack() {
    accept(MadeDatagram.hello(0));
    said.clear();
    for (int second = 0; second < 30; second++) {
      nowNs += TimeUnit.SECONDS.toNanos(1);
      reception.lookAtTime(nowNs);
    }
    accept(MadeDatagram.hello(1));
    assertThat(said)
        .containsExactly(
            "nothing was heard of the sender for 10 s; what it sent meanwhile is told as lost when it"
                + " is heard again",
            "the sender is heard again");
  }

  @Test
  void shouldEndWhenEveryRingHasEnded() {
    accept(MadeDatagram.heartbeat(0, 0).rings(2).ring(0).flags(DatagramFlag.RING_ENDED));
    accept(MadeDatagram.heartbeat(0, 0).rings(2).ring(1));
    assertThat(reception.isEnded()).isFalse();
    accept(MadeDatagram.heartbeat(1, 0).rings(2).ring(1).flags(DatagramFlag.RING_ENDED));
    assertThat(reception.isEnded()).isTrue();
    reception.end();
    try (RingFile ring = ring(1)) {
      assertThat(ring.isEnded()).isTrue();
    }
  }

  /** What was dropped here was received, and is not told as lost on the way. */
  @Test
  void shouldDropAndCountWhatAFullRingHasNoRoomFor() {
    accept(MadeDatagram.ofPackets(0, 0, 10));
    try (RingFile ring = ring(0);
        GatingReader _ = new GatingReader(ring, "holds", RingStart.OLDEST)) {
      for (int i = 0; i < 5; i++) {
        accept(MadeDatagram.ofPackets(1 + i, 10 + 1_000L * i, 1_000));
      }
      RingCounters counters = ring.counters();
      assertThat(counters.droppedPackets()).isBetween(900L, 1_000L);
      assertThat(counters.writtenPackets() + counters.droppedPackets()).isEqualTo(5_010);
    }
    assertThat(reception.counters().packets()).isEqualTo(5_010);
    assertThat(reception.counters().lostPackets()).isZero();
    startAgain();
    accept(MadeDatagram.ofPackets(6, 5_017, 1));
    waitForWhatIsMissing();
    assertThat(reception.counters().lostPackets()).isEqualTo(7);
  }

  /** Also when it was killed: nothing said a last word here. */
  @Test
  void shouldTellWhatItMissedWhileItWasAway() {
    accept(MadeDatagram.ofPackets(0, 0, 5).lost(0, 1));
    accept(MadeDatagram.ofPackets(1, 9, 5).lost(0, 1));
    startAgain();
    accept(MadeDatagram.ofPackets(90, 114, 2).lost(0, 4));
    waitForWhatIsMissing();
    ReceiveCounters.OfRing ring = reception.counters().rings().getFirst();
    assertThat(ring.packets()).isEqualTo(2);
    assertThat(ring.lost())
        .containsEntry(LossCause.AWAY, 100L)
        .containsEntry(LossCause.BEFORE_TAP, 3L);
    assertThat(ring.beforeStart()).isZero();
  }

  /** What was under way for long is of rings whose rest is told already. */
  @Test
  void shouldNotGoBackToAnEarlierRunWhenItIsStartedAgain() {
    accept(MadeDatagram.ofPackets(0, 0, 5).run(1, 1));
    accept(MadeDatagram.ofPackets(0, 0, 2).run(2, 2).incarnation(2));
    startAgain();
    accept(MadeDatagram.ofPackets(1, 5, 1).run(1, 1));
    assertThat(refused(Refusal.FORMER_RUN)).isEqualTo(1);
    assertThat(said).as("no rings are made for that").isEmpty();
    accept(MadeDatagram.ofPackets(1, 2, 3).run(2, 2).incarnation(2));
    waitForWhatIsMissing();
    assertThat(reception.counters().packets()).isEqualTo(3);
    assertThat(reception.counters().lostPackets()).isZero();
  }

  /** Nor to the rings that the run has followed by others. */
  @Test
  void shouldNotGoBackToAnEarlierIncarnationWhenItIsStartedAgain() {
    accept(MadeDatagram.ofPackets(0, 0, 5));
    accept(MadeDatagram.ofPackets(3, 0, 2).incarnation(2));
    waitForWhatIsMissing();
    startAgain();
    accept(MadeDatagram.ofPackets(2, 8, 1));
    assertThat(refused(Refusal.LATE)).isEqualTo(1);
    accept(MadeDatagram.ofPackets(4, 2, 3).incarnation(2));
    accept(MadeDatagram.heartbeat(5, 5).incarnation(2).lineage(new Ancestor(1, 9, 0)));
    waitForWhatIsMissing();
    assertThat(reception.counters().packets()).isEqualTo(3);
    assertThat(reception.counters().lostPackets()).isEqualTo(4);
  }

  /** A new run counts from 0 again. */
  @Test
  void shouldListenToTheNextRunFromItsBeginningWhenItIsStartedAgain() {
    accept(MadeDatagram.ofPackets(900, 0, 5).run(1, 1));
    waitForWhatIsMissing();
    startAgain();
    accept(MadeDatagram.ofPackets(0, 5, 1).run(2, 2));
    startAgain();
    accept(MadeDatagram.ofPackets(1, 6, 1).run(2, 2));
    waitForWhatIsMissing();
    assertThat(reception.counters().packets()).isEqualTo(1);
    assertThat(reception.counters().lostPackets()).isZero();
  }

  /** Not even rings for the first datagram, nor books for the rings. */
  @Test
  void shouldTellItThoughItWasKilledAgainWhileItBegan() {
    accept(MadeDatagram.ofPackets(0, 0, 5));
    startAgain();
    new TestRings(folder).make(1, MadeDatagram.KEY_GROUPS, RingClock.WALL).close();
    accept(MadeDatagram.hello(50));
    startAgain();
    accept(MadeDatagram.ofPackets(90, 25, 2));
    waitForWhatIsMissing();
    assertThat(reception.counters().rings().getFirst().lost()).containsEntry(LossCause.AWAY, 20L);
  }

  @Test
  void shouldCountWhenNobodyKnowsWhatItMissed() {
    accept(MadeDatagram.ofPackets(0, 0, 5));
    accept(MadeDatagram.heartbeat(1, 0).incarnation(20));
    assertThat(reception.counters().rings().getFirst().missedUnknown()).isEqualTo(1);
    assertThat(said).last().asString().contains("nobody knows how many packets were missed");
  }

  /** As if it had never been there: the rings are gone, and with them what they counted. */
  @Test
  void shouldTellWhatWasSentBeforeWhereNobodyKnowsBetter() {
    accept(MadeDatagram.ofPackets(0, 0, 5));
    reception.close();
    new TestRings(folder).directory().delete();
    begin();
    accept(MadeDatagram.ofPackets(1, 105, 2));
    waitForWhatIsMissing();
    assertThat(reception.counters().rings().getFirst().lost()).containsEntry(LossCause.AWAY, 105L);
  }

  @Test
  void shouldCountWhatSomebodyElseRefused() {
    reception.refuse(77, Refusal.ADDRESS);
    assertThat(refused(Refusal.ADDRESS)).isEqualTo(1);
    assertThat(reception.counters().datagrams()).isEqualTo(1);
    assertThat(reception.counters().bytes()).isEqualTo(77);
  }

  @Test
  void rejectsUntaggedDatagrams() {
    beginWithKey();
    for (int i = 0; i < 20; i++) {
      accept(MadeDatagram.hello(i), OTHER);
    }
    assertThat(refused(Refusal.UNAUTHENTICATED)).isEqualTo(20);
    assertThat(folder).isEmptyDirectory();
    assertThat(said)
        .containsExactly(
            "192.0.2.2:4002: rejected datagram without a valid tag; tap forward requires the same"
                + " --key-file");
    acceptTagged(MadeDatagram.ofPackets(0, 0, 5));
    assertThat(reception.counters().packets()).isEqualTo(5);
  }

  @Test
  void rejectsTaggedDatagramsWithoutKey() {
    acceptTagged(MadeDatagram.hello(0));
    assertThat(refused(Refusal.NO_KEY)).isEqualTo(1);
    assertThat(folder).isEmptyDirectory();
    assertThat(said)
        .containsExactly(
            "192.0.2.1:4001: rejected datagram with a tag; tap receive requires the --key-file of"
                + " the sender");
  }

  @Test
  void withKey_rejectsReplayOfFormerRun() {
    beginWithKey();
    acceptTagged(MadeDatagram.ofPackets(0, 0, 5).run(2, 2).incarnation(2));
    nowNs += TimeUnit.SECONDS.toNanos(11);
    said.clear();
    acceptTagged(MadeDatagram.ofPackets(0, 0, 5).run(1, 1).incarnation(1));
    assertThat(refused(Refusal.FORMER_RUN)).isEqualTo(1);
    assertThat(said)
        .containsExactly(
            "192.0.2.1:4001: rejected run 0000000000000001, which started before the latest; if the"
                + " sender's clock was set back, remove "
                + folder.resolve("received.books")
                + " and restart tap receive");
    acceptTagged(MadeDatagram.ofPackets(1, 5, 5).run(2, 2).incarnation(2));
    assertThat(reception.counters().packets()).isEqualTo(10);
  }

  /** Replays of another tap's datagrams keep no sender out that started later. */
  @Test
  void withKey_listensToTheTrueSenderAfterReplays() {
    beginWithKey();
    acceptTagged(MadeDatagram.ofPackets(0, 0, 5).run(1, 1).tap(7));
    acceptTagged(MadeDatagram.ofPackets(0, 0, 2).run(2, 2));
    acceptTagged(MadeDatagram.ofPackets(1, 5, 5).run(1, 1).tap(7));
    assertThat(refused(Refusal.OTHER_SENDER)).isEqualTo(1);
    assertThat(reception.counters().packets()).isEqualTo(7);
  }

  /** The restarted sender has more rings than before, and so needs others here. */
  @Test
  void withKey_replacesRingsForWhichReplaysWereReceived() {
    beginWithKey();
    acceptTagged(MadeDatagram.ofPackets(0, 0, 5).run(1, 1));
    beginWithKey();
    acceptTagged(MadeDatagram.ofPackets(0, 0, 5).run(1, 1));
    assertThat(reception.counters().rings().getFirst().repeated()).isEqualTo(5);
    nowNs += TimeUnit.SECONDS.toNanos(2);
    acceptTagged(MadeDatagram.ofPackets(0, 0, 3).rings(2).ring(1).run(2, 2).tap(7));
    assertThat(reception.counters().packets()).isEqualTo(3);
    assertThat(refused(Refusal.ARRANGEMENT)).isZero();
  }

  @Test
  void reportsSilentSenderDuringReplays() {
    accept(MadeDatagram.ofPackets(0, 0, 5));
    said.clear();
    for (int second = 0; second < 12; second++) {
      nowNs += TimeUnit.SECONDS.toNanos(1);
      accept(MadeDatagram.ofPackets(0, 0, 5));
      reception.lookAtTime(nowNs);
    }
    assertThat(refused(Refusal.DUPLICATE)).isEqualTo(12);
    assertThat(said).hasSize(1).first().asString().startsWith("nothing was heard of the sender");
  }

  @Test
  void replayOfEndedRunDoesNotEndTheNextReceiver() {
    beginWithKey();
    acceptTagged(MadeDatagram.heartbeat(0, 0).flags(DatagramFlag.RING_ENDED));
    reception.end();
    beginWithKey();
    acceptTagged(MadeDatagram.heartbeat(1, 0).flags(DatagramFlag.RING_ENDED));
    assertThat(refused(Refusal.FORMER_RUN)).isEqualTo(1);
    assertThat(reception.isEnded()).isFalse();
    acceptTagged(MadeDatagram.ofPackets(0, 0, 5).run(2, 2));
    assertThat(reception.counters().packets()).isEqualTo(5);
  }

  @Test
  void rejectsSenderOfTooManyRings() {
    for (int i = 0; i < 20; i++) {
      accept(MadeDatagram.hello(i).rings(17));
    }
    assertThat(refused(Refusal.TOO_MANY_RINGS)).isEqualTo(20);
    assertThat(folder).isEmptyDirectory();
    assertThat(said)
        .containsExactly(
            "192.0.2.1:4001: rejected sender of 17 rings; at most 16 with this --max-rings");
    accept(MadeDatagram.hello(0).rings(16));
    assertThat(said).contains("made");
  }

  /** Rings that cannot be made until they can, and the number of attempts. */
  private static final class FailingRings implements RingMaker {
    private final TestRings rings;
    private boolean isFull = true;
    private int attempts;
    private int forgotten;

    FailingRings(Path folder) {
      rings = new TestRings(folder);
    }

    @Override
    public RingDirectory directory() {
      return rings.directory();
    }

    @Override
    public RingSetWriter make(int ringCount, int maxParallelism, int clock) {
      attempts++;
      if (isFull) {
        throw new RingFileException("no space");
      }
      return rings.make(ringCount, maxParallelism, clock);
    }

    @Override
    public void forget() {
      forgotten++;
    }
  }

  @Test
  void survivesFailureToMakeRingsAndRetriesOncePerSecond() {
    FailingRings rings = new FailingRings(folder);
    begin(rings, new ReceiveOptions(8, Duration.ofMillis(50)));
    for (int tenth = 0; tenth < 20; tenth++) {
      accept(MadeDatagram.hello(tenth));
      nowNs += TimeUnit.MILLISECONDS.toNanos(100);
    }
    assertThat(rings.attempts).isEqualTo(2);
    assertThat(refused(Refusal.RINGS_UNAVAILABLE)).isEqualTo(20);
    assertThat(said).containsExactly("cannot make 1 rings: no space; retrying once per second");
    assertThat(reception.counters().rings()).isEmpty();
    rings.isFull = false;
    nowNs += TimeUnit.SECONDS.toNanos(1);
    accept(MadeDatagram.ofPackets(20, 0, 5));
    waitForWhatIsMissing();
    assertThat(reception.counters().packets()).isEqualTo(5);
  }

  /** The folder is free again: the next attempt could not make rings there otherwise. */
  @Test
  void survivesFailureAfterRingsAreMade() {
    reception =
        new Reception(
            new TestRings(folder),
            new ReceiveOptions(8, Duration.ofMillis(50)),
            said::add,
            _ -> {
              said.add("made");
              if (said.size() == 1) {
                throw new IllegalStateException("no memory pages");
              }
            });
    accept(MadeDatagram.hello(0));
    assertThat(refused(Refusal.RINGS_UNAVAILABLE)).isEqualTo(1);
    nowNs += TimeUnit.SECONDS.toNanos(2);
    accept(MadeDatagram.ofPackets(0, 0, 5));
    assertThat(said)
        .startsWith(
            "made", "cannot make 1 rings: no memory pages; retrying once per second", "made");
    assertThat(reception.counters().packets()).isEqualTo(5);
  }

  /** A forged hello with another number of rings must not lock out the true sender. */
  @Test
  void replacesRingsForWhichNoPacketWasReceived() {
    accept(MadeDatagram.hello(0).rings(1).run(66, 66).tap(66), OTHER);
    accept(MadeDatagram.heartbeat(1, 0).rings(1).run(66, 66).tap(66), OTHER);
    nowNs += TimeUnit.SECONDS.toNanos(2);
    accept(MadeDatagram.ofPackets(0, 0, 5).rings(2).ring(1).run(1, 1));
    accept(MadeDatagram.ofPackets(0, 0, 3).rings(2).ring(0).run(1, 1));
    assertThat(reception.counters().packets()).isEqualTo(8);
    try (RingFile ring = ring(1)) {
      assertThat(ring.counters().writtenPackets()).isEqualTo(5);
    }
    accept(MadeDatagram.ofPackets(2, 0, 1).rings(1).run(66, 66).tap(66), OTHER);
    assertThat(refused(Refusal.OTHER_SENDER)).isEqualTo(1);
  }

  @Test
  void keepsRingsForWhichPacketsWereReceived() {
    accept(MadeDatagram.ofPackets(0, 0, 5).rings(2).run(1, 1));
    accept(MadeDatagram.heartbeat(1, 5).rings(2).run(1, 1).flags(DatagramFlag.SENDER_LEAVES));
    nowNs += TimeUnit.SECONDS.toNanos(20);
    accept(MadeDatagram.ofPackets(0, 0, 5).rings(1).run(2, 2).tap(7), OTHER);
    assertThat(refused(Refusal.ARRANGEMENT)).isEqualTo(1);
    try (RingFile ring = ring(1)) {
      assertThat(ring.identity().ringCount()).isEqualTo(2);
    }
  }

  @Test
  void replacesRingsOncePerSecondAtMost() {
    for (int i = 0; i < 20; i++) {
      accept(MadeDatagram.hello(0).rings(1 + i % 2).run(i + 1, i + 1));
      nowNs += TimeUnit.MILLISECONDS.toNanos(100);
    }
    assertThat(said.stream().filter("made"::equals).count()).isEqualTo(2);
    assertThat(refused(Refusal.RINGS_UNAVAILABLE)).isPositive();
  }

  /** New rings fail, and the old ones are gone: the next datagram must not find these. */
  @Test
  void survivesFailureToReplaceRings() {
    FailingRings rings = new FailingRings(folder);
    begin(rings, new ReceiveOptions(8, Duration.ofMillis(50)));
    rings.isFull = false;
    accept(MadeDatagram.hello(0).rings(1).run(1, 1));
    rings.isFull = true;
    nowNs += TimeUnit.SECONDS.toNanos(2);
    accept(MadeDatagram.hello(0).rings(2).run(2, 2));
    accept(MadeDatagram.hello(1).rings(1).run(1, 1));
    reception.lookAtTime(nowNs);
    assertThat(refused(Refusal.RINGS_UNAVAILABLE)).isEqualTo(2);
    assertThat(rings.forgotten).isEqualTo(1);
    assertThat(reception.isEnded()).isFalse();
    rings.isFull = false;
    nowNs += TimeUnit.SECONDS.toNanos(2);
    accept(MadeDatagram.ofPackets(0, 0, 5).rings(2).run(2, 2));
    assertThat(reception.counters().packets()).isEqualTo(5);
  }

  @Test
  void limitsLinesAboutRuns() {
    for (int i = 1; i <= 1_000; i++) {
      accept(MadeDatagram.hello(0).run(i, i));
      nowNs += TimeUnit.MILLISECONDS.toNanos(10);
    }
    assertThat(reception.counters().runs()).isEqualTo(1_000);
    assertThat(said.stream().filter(line -> line.startsWith("receives from")).count())
        .isEqualTo(10);
  }
}
