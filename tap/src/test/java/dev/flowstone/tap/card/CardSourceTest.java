// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.card;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.model.abi.PacketRecordLayout;
import dev.flowstone.offheap.ring.RingDirectory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A card without a cable: captures into its memory, through its sources, and to the ring files. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class CardSourceTest {
  private static final int ROUNDS = 3;
  private static final int GAP_CYCLES = 300;

  @TempDir Path folder;

  private EmulatedTap card(CardLane lane, String engine, String... more)
      throws IOException, InterruptedException {
    List<String> options = new ArrayList<>(List.of("--design", "u280_pcapsrc"));
    options.addAll(List.of(more));
    return new EmulatedTap(lane, folder, engine, options.toArray(String[]::new));
  }

  private static CardFrames frames(int rounds, List<Path> first, List<Path> second) {
    return new CardFrames(
        List.of(CardCapture.of(first), CardCapture.of(second)), rounds, GAP_CYCLES);
  }

  @Test
  void shouldGiveTheRecordsOfAReplayUnderTheCardsProfile() throws Exception {
    requireRecordsOfAReplay("model", CardLane.FLOWSTONE);
  }

  @Tag("slow")
  @ParameterizedTest
  @CsvSource({"model, AMD", "rtl, FLOWSTONE", "rtl, AMD"})
  void shouldGiveTheSameRecordsByEachEngineAndLibrary(String engine, CardLane lane)
      throws Exception {
    requireRecordsOfAReplay(engine, lane);
  }

  /** Bit by bit and in each port's order, except for time and generation. */
  private void requireRecordsOfAReplay(String engine, CardLane lane) throws Exception {
    if (engine.equals("rtl") && !BuiltEmulator.hasRtl()) {
      throw BuiltEmulator.skipped(
          "flowstone-card-rtl is not there (verilator, make -C hw emulator-rtl), so no capture went through the kernels' RTL");
    }
    List<Path> captures = ReplayedCaptures.whole(folder);
    List<Path> others = new ArrayList<>(captures.subList(0, captures.size() / 2));
    Collections.reverse(others);
    try (EmulatedTap card = card(lane, engine)) {
      card.frames = frames(ROUNDS, captures, others);
      CardCounters counters = card.start().finish();
      RingDirectory first = ReplayedCaptures.replay(folder.resolve("replayed-0"), captures, ROUNDS);
      RingDirectory second = ReplayedCaptures.replay(folder.resolve("replayed-1"), others, ROUNDS);
      for (int ring = 0; ring < MadeFiles.SHAPE.ringCount(); ring++) {
        assertThat(MadeFiles.records(card.files.directory(), ring, 0))
            .as("ring %d, port 0", ring)
            .isNotEmpty()
            .isEqualTo(MadeFiles.records(first, ring));
        assertThat(ofPort0(MadeFiles.records(card.files.directory(), ring, 1)))
            .as("ring %d, port 1", ring)
            .isNotEmpty()
            .isEqualTo(MadeFiles.records(second, ring));
      }
      requireBooks(card, counters);
      assertThat(counters.sources())
          .allSatisfy(source -> assertThat(source.sentPackets()).isEqualTo(source.wantedPackets()));
      assertThat(counters.lostPackets()).isZero();
      assertThat(card.said).isEmpty();
      assertThat(card.areFilesEnded()).isTrue();
    }
  }

  /** Which came at port 1, as those that came at port 0. */
  private static List<String> ofPort0(List<String> records) {
    return records.stream()
        .map(
            record -> {
              ByteBuffer bytes =
                  ByteBuffer.wrap(HexFormat.of().parseHex(record)).order(ByteOrder.LITTLE_ENDIAN);
              int at = (int) PacketRecordLayout.DESCRIPTOR_OFFSET;
              bytes.putInt(at, bytes.getInt(at) & ~(1 << PacketRecordLayout.INGRESS_PORT_SHIFT));
              return HexFormat.of().formatHex(bytes.array());
            })
        .toList();
  }

  /** In = out + what is lost and told. */
  private static void requireBooks(EmulatedTap card, CardCounters counters) {
    long sent = 0;
    for (int port = 0; port < counters.sources().size(); port++) {
      PortCounters came = counters.ports().get(port);
      assertThat(counters.sources().get(port).sentPackets())
          .isEqualTo(came.receivedPackets() + came.badPackets());
      sent += came.receivedPackets();
    }
    assertThat(counters.packets() + counters.lostPackets()).isEqualTo(sent);
    assertThat(card.toldPackets()).isEqualTo(sent);
  }

  /** A source that is not stopped ends with its tap. */
  @Test
  void shouldSendUntilItIsStopped() throws Exception {
    List<Path> captures = ReplayedCaptures.all();
    try (EmulatedTap card = card(CardLane.FLOWSTONE, "model")) {
      card.frames = frames(CardFrames.FOREVER, captures, List.of());
      card.start();
      EmulatedTap.await(() -> card.tap != null && card.tap.counters().packets() > 50_000);
      CardCounters counters = card.stop();
      requireBooks(card, counters);
      assertThat(counters.sources().getFirst().wantedPackets())
          .isEqualTo(CardSourceCounters.WITHOUT_END);
      assertThat(counters.sources().getLast()).isEqualTo(CardSourceCounters.NOTHING);
    }
  }

  /**
   * A source waits for nobody: what the card's rings have no room for is lost, and told. What is in
   * them when all is sent waits for the readers, and is not.
   */
  @Test
  void shouldLoseOnlyWhatTheCardHasNoRoomFor() throws Exception {
    List<Path> captures = ReplayedCaptures.all();
    try (EmulatedTap card = card(CardLane.FLOWSTONE, "model")) {
      card.frames = new CardFrames(List.of(CardCapture.of(captures)), 500, GAP_CYCLES);
      try (HeldFiles held = new HeldFiles(card.files)) {
        card.start();
        EmulatedTap.await(() -> card.tap != null && hasSentAll(card.tap.counters()));
        card.awaitTwoPolls();
        assertThat(card.isRunning()).as("it waits for readers").isTrue();
        held.leave();
      }
      CardCounters counters = card.finish();
      assertThat(counters.losses().get(CardLoss.RING_FULL)).isPositive();
      assertThat(counters.losses().get(CardLoss.LEFT_BEHIND)).isZero();
      requireBooks(card, counters);
    }
  }

  private static boolean hasSentAll(CardCounters counters) {
    return !counters.sources().isEmpty()
        && counters.sources().getFirst().sentPackets() > 0
        && counters.sources().getFirst().sentPackets()
            == counters.sources().getFirst().wantedPackets();
  }

  /** What a tap that was killed had left sending is stopped, and then another capture is sent. */
  @Test
  void shouldStopWhatAFormerTapHadLeftSending() throws Exception {
    List<Path> captures = ReplayedCaptures.all();
    try (EmulatedTap card = card(CardLane.FLOWSTONE, "model")) {
      card.frames = frames(CardFrames.FOREVER, captures, captures);
      try (Card left = card.openCard()) {
        left.start(MadeFiles.SHAPE, CardRuleTable.EMPTY, CardRun::nowNs, () -> CardLimits.DEFAULT);
        left.sources().start();
        EmulatedTap.await(() -> left.sources().counters().getFirst().sentPackets() > 1000);
      }
      card.frames = frames(1, captures, captures);
      CardCounters counters = card.start().finish();
      requireBooks(card, counters);
      assertThat(card.said)
          .singleElement()
          .asString()
          .contains("it was still at work for a tap whose open rings are not in");
    }
  }

  /** What was sent before is in the rings, and the fault is told when they have ended. */
  @Test
  void shouldReportMemoryThatCannotBeRead() throws Exception {
    requireReportOfMemoryThatCannotBeRead("model", CardLane.FLOWSTONE);
  }

  @Tag("slow")
  @ParameterizedTest
  @CsvSource({"model, AMD", "rtl, FLOWSTONE"})
  void shouldReportMemoryThatCannotBeReadByEachEngineAndLibrary(String engine, CardLane lane)
      throws Exception {
    requireReportOfMemoryThatCannotBeRead(engine, lane);
  }

  private void requireReportOfMemoryThatCannotBeRead(String engine, CardLane lane)
      throws Exception {
    if (engine.equals("rtl") && !BuiltEmulator.hasRtl()) {
      throw BuiltEmulator.skipped("flowstone-card-rtl is not there, so its memory refused nothing");
    }
    List<Path> captures = ReplayedCaptures.all();
    try (EmulatedTap card = card(lane, engine, "--fault", "refused-read:after=1000")) {
      card.frames = frames(2, captures, List.of());
      card.start();
      assertThat(card.failure())
          .isInstanceOf(CardException.class)
          .hasMessageMatching(
              "card 0, source of port 0: the card's memory refused a read after [\\d,]+ packets.*");
      CardCounters counters = card.tap.counters();
      assertThat(counters.sources().getFirst().readFailed()).isTrue();
      assertThat(counters.ports().getFirst().receivedPackets()).isPositive();
      assertThat(counters.lostPackets()).isZero();
      requireBooks(card, counters);
      assertThat(card.areFilesEnded()).isTrue();
    }
  }

  @Test
  void shouldReportWhichXclbinItRequires() throws Exception {
    CardLane lane = CardLane.FLOWSTONE;
    Path capture = MadeCapture.of(folder.resolve("a.pcap"), 60);
    try (EmulatedTap card = new EmulatedTap(lane, folder, "model")) {
      CardFrames frames = frames(1, List.of(capture), List.of());
      assertThatThrownBy(
              () ->
                  Card.open(
                          lane.library(card.emulator),
                          new CardAddress.ByNumber(0),
                          card.emulator.xclbin(),
                          frames)
                      .close())
          .isInstanceOf(CardException.class)
          .hasMessageContaining("card 0: no ht_pcapsrc:{ht_pcapsrc_0} is to be had of")
          .hasMessageContaining(
              "flowstone.xclbin: --feed wants the xclbin of a card without a cable")
          .hasMessageContaining("DESIGN=u280_pcapsrc");
    }
  }

  /** They are read twice, and the kernels have started by then. */
  @Test
  void shouldNoticeACaptureThatIsChangedMeanwhile() throws Exception {
    Path capture = MadeCapture.of(folder.resolve("a.pcap"), 60, 61);
    try (EmulatedTap card = card(CardLane.FLOWSTONE, "model")) {
      card.frames = frames(1, List.of(capture), List.of());
      MadeCapture.of(capture, 60, 200);
      card.start();
      assertThat(card.failure()).hasMessageContaining("it is not what it was when the tap began");
      assertThat(card.areFilesEnded()).isTrue();
    }
  }
}
