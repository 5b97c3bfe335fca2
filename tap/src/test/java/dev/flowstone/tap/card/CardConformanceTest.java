// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.card;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.model.abi.CardRingRegistersLayout;
import dev.flowstone.model.abi.CardTapRegistersLayout;
import dev.flowstone.offheap.NativeCallException;
import dev.flowstone.offheap.ring.RingCounters;
import dev.flowstone.offheap.xrt.XrtBuffer;
import dev.flowstone.offheap.xrt.XrtDevice;
import dev.flowstone.offheap.xrt.XrtKernel;
import dev.flowstone.offheap.xrt.XrtRun;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What a tap relies on, whatever is below it: the same tests for Flowstone's library, for AMD's
 * over an emulated card, and for a card. A lane that is not there is skipped, and says so.
 */
@ParameterizedClass
@EnumSource(CardLane.class)
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class CardConformanceTest {
  private static final String TAP = "ht_tap:{ht_tap_0}";
  private static final String RINGS = "ht_ring:{ht_ring_0}";
  private static final long PAGE_BYTES = 4096;
  private static final int SLOTS_LOG2_ARGUMENT = 8;
  private static final int RING_COUNT_ARGUMENT = 9;
  private static final int TOO_LARGE_NUMBER = 63;
  private static final long PACKETS = 100_000;
  private static final long CARD_WAIT_MS = 1_000;

  @Parameter CardLane lane;
  @TempDir Path folder;

  private CardLane.Way way;

  @BeforeEach
  void open() throws IOException, InterruptedException {
    way =
        lane.open(
            folder.resolve("cards"),
            List.of("--feed", "generator:packets=" + PACKETS, "--pace", "wait"));
  }

  @AfterEach
  void close() {
    if (way != null) {
      way.close();
    }
  }

  private XrtDevice device() {
    XrtDevice device = way.address().open(way.library());
    device.load(way.xclbin());
    return device;
  }

  @Test
  void shouldSayWhichXclbinItIs() {
    try (XrtDevice device = device()) {
      assertThat(device.uuid()).matches("[0-9a-f]{32}").isNotEqualTo("0".repeat(32));
    }
  }

  @Test
  void shouldSayThatThereIsNoSuchCard() {
    assertThatThrownBy(() -> way.library().open(TOO_LARGE_NUMBER))
        .isInstanceOf(NativeCallException.class)
        .hasMessageContaining("xrtDeviceOpen(63)");
  }

  @Test
  void shouldSayThatThereIsNoSuchXclbin() {
    try (XrtDevice device = way.address().open(way.library())) {
      assertThatThrownBy(() -> device.load(folder.resolve("none.xclbin")))
          .isInstanceOf(NativeCallException.class)
          .hasMessageContaining("none.xclbin");
    }
  }

  @Test
  void shouldSayThatThereIsNoSuchKernel() {
    try (XrtDevice device = device()) {
      assertThatThrownBy(() -> device.open("ht_none:{ht_none_0}"))
          .isInstanceOf(NativeCallException.class)
          .hasMessageContaining("ht_none");
    }
  }

  @Test
  void shouldHaveArgumentsWhereTheRegistersPageSays() {
    try (XrtDevice device = device();
        XrtKernel rings = device.open(RINGS);
        XrtKernel port = device.open(TAP)) {
      assertThat(rings.argumentOffset(1))
          .isEqualTo((int) CardRingRegistersLayout.BASE_ADDRESSES_OFFSET + Long.BYTES);
      assertThat(rings.argumentOffset(RING_COUNT_ARGUMENT))
          .isEqualTo((int) CardRingRegistersLayout.RING_COUNT_OFFSET);
      assertThat(port.argumentOffset(1))
          .isEqualTo((int) CardTapRegistersLayout.MAX_PARALLELISM_OFFSET);
    }
  }

  @Test
  void shouldReadAndWriteRegisters() {
    try (XrtDevice device = device();
        XrtKernel port = device.open(TAP)) {
      assertThat(port.read(CardTapRegistersLayout.MAGIC_OFFSET))
          .isEqualTo(CardTapRegistersLayout.MAGIC);
      port.write(CardTapRegistersLayout.TIME_INCREMENT_OFFSET, 0x35555556);
      assertThat(port.read(CardTapRegistersLayout.TIME_INCREMENT_OFFSET)).isEqualTo(0x35555556);
      port.write(CardTapRegistersLayout.TIME_INCREMENT_OFFSET, 0x35555555);
    }
  }

  /** Whoever forgets a sync finds out here. */
  @Test
  void shouldKeepTheTwoSidesOfMemoryApart() {
    try (XrtDevice device = device();
        XrtKernel rings = device.open(RINGS);
        XrtBuffer buffer = device.allocate(4 * PAGE_BYTES, rings.group(0))) {
      assertThat(buffer.host().byteSize()).isEqualTo(4 * PAGE_BYTES);
      assertThat(buffer.address() % PAGE_BYTES).isZero();
      buffer.host().fill((byte) 1);
      buffer.send(0, 4 * PAGE_BYTES);
      buffer.host().fill((byte) 2);
      buffer.fetch(PAGE_BYTES, PAGE_BYTES);
      for (int page = 0; page < 4; page++) {
        byte expected = (byte) (page == 1 ? 1 : 2);
        assertThat(buffer.host().get(ValueLayout.JAVA_BYTE, page * PAGE_BYTES + 17))
            .as("page %d", page)
            .isEqualTo(expected);
      }
    }
  }

  @Test
  void shouldRefuseASyncBeyondTheEnd() {
    try (XrtDevice device = device();
        XrtKernel rings = device.open(RINGS);
        XrtBuffer buffer = device.allocate(PAGE_BYTES, rings.group(0))) {
      assertThatThrownBy(() -> buffer.fetch(0, 2 * PAGE_BYTES))
          .isInstanceOf(NativeCallException.class)
          .hasMessageContaining("xrtBOSync(from the card, 8192 bytes at 0)");
    }
  }

  @Test
  void shouldThrowWhereMemoryIsUsedThatWasGivenBack() {
    try (XrtDevice device = device();
        XrtKernel rings = device.open(RINGS)) {
      XrtBuffer buffer = device.allocate(PAGE_BYTES, rings.group(0));
      buffer.close();
      assertThatThrownBy(() -> buffer.host().get(ValueLayout.JAVA_BYTE, 0))
          .isInstanceOf(IllegalStateException.class);
    }
  }

  /** Arguments come to the kernel whatever their type: a buffer, numbers. */
  @Test
  void shouldRunAKernelUntilItIsStoppedAndAgain() {
    try (XrtDevice device = device();
        XrtKernel rings = device.open(RINGS);
        XrtBuffer buffer = device.allocate(64L << 10, rings.group(0))) {
      buffer.host().fill((byte) 0);
      buffer.send(0, 64L << 10);
      for (int start = 0; start < 2; start++) {
        try (XrtRun run = rings.newRun()) {
          run.set(0, buffer);
          run.set(SLOTS_LOG2_ARGUMENT, 10);
          run.set(RING_COUNT_ARGUMENT, 1);
          run.start();
          assertThat(run.awaitEnd(Duration.ofMillis(20))).isFalse();
          assertThat(rings.read(CardRingRegistersLayout.RING_COUNT_OFFSET)).isEqualTo(1);
          assertThat(rings.read(CardRingRegistersLayout.SLOTS_LOG2_OFFSET)).isEqualTo(10);
          assertThat(rings.read(CardRingRegistersLayout.BASE_ADDRESSES_OFFSET))
              .isEqualTo((int) buffer.address());
          rings.write(CardRingRegistersLayout.STOP_OFFSET, 1);
          assertThat(run.awaitEnd(Duration.ofSeconds(5))).isTrue();
        }
      }
    }
  }

  /** The counters of card, tap and files agree. */
  @Test
  void shouldCarryPacketsIntoRingFiles() throws Exception {
    try (MadeFiles files = new MadeFiles(folder.resolve("rings"));
        Card card = Card.open(way.library(), way.address(), way.xclbin())) {
      CardTap tap =
          new CardTap(card, MadeFiles.SHAPE, files, CardRuleTable.EMPTY, true, System.err::println);
      Thread thread = Thread.ofPlatform().start(tap::run);
      if (way.process().isPresent()) {
        EmulatedTap.await(() -> tap.counters().packets() == PACKETS || !thread.isAlive());
      } else {
        Thread.sleep(CARD_WAIT_MS);
      }
      tap.stop();
      thread.join();
      CardCounters counters = tap.counters();
      List<RingCounters> rings = files.counters();
      assertThat(rings.stream().mapToLong(RingCounters::offeredPackets).sum())
          .isEqualTo(counters.packets());
      assertThat(counters.receivedPackets())
          .isEqualTo(counters.filteredPackets() + counters.packets() + counters.lostPackets());
      assertThat(rings.getFirst().lostBeforeTap()).isEqualTo(counters.lostPackets());
      if (way.process().isPresent()) {
        assertThat(counters.packets()).isEqualTo(PACKETS);
        assertThat(counters.lostPackets()).isZero();
      } else if (counters.receivedPackets() == 0) {
        throw BuiltEmulator.skipped(
            "no packet came to the card within a second, so none was carried: send it some");
      }
    }
  }
}
