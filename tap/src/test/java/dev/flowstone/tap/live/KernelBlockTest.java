// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.live;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HexFormat;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A block as the kernel writes it, made by hand: cards that strip tags and stamp are rare. */
class KernelBlockTest {
  private static final int BLOCK = 4096;
  private static final int FRAME = BLOCK + 48;
  private static final int DATA_AFTER_FRAME = 92;
  private static final String ADDRESSES = "0a0b0c0d0e0f" + "1a1b1c1d1e1f";
  private static final String PACKET = "0800" + "4500002e";

  private final Arena arena = Arena.ofConfined();
  private final MemorySegment ring = arena.allocate(2 * BLOCK, 16);
  private final KernelBlock blocks = new KernelBlock(ring);

  @AfterEach
  void free() {
    arena.close();
  }

  private void frame(int status, int vlanTag, int vlanType) {
    ring.set(JAVA_INT, BLOCK + 12, 1);
    ring.set(JAVA_INT, BLOCK + 16, FRAME - BLOCK);
    ring.set(JAVA_INT, FRAME, 160);
    ring.set(JAVA_INT, FRAME + 4, 7);
    ring.set(JAVA_INT, FRAME + 8, 9);
    ring.set(JAVA_INT, FRAME + 12, 18);
    ring.set(JAVA_INT, FRAME + 16, 64);
    ring.set(JAVA_INT, FRAME + 20, status);
    ring.set(JAVA_SHORT, FRAME + 24, (short) DATA_AFTER_FRAME);
    ring.set(JAVA_INT, FRAME + 32, vlanTag);
    ring.set(JAVA_SHORT, FRAME + 36, (short) vlanType);
    byte[] bytes = HexFormat.of().parseHex(ADDRESSES + PACKET);
    MemorySegment.copy(bytes, 0, ring, JAVA_BYTE, FRAME + DATA_AFTER_FRAME, bytes.length);
  }

  private String bytesAt(long offset, int count) {
    return HexFormat.of().formatHex(ring.asSlice(offset, count).toArray(JAVA_BYTE));
  }

  /** With the type that the kernel names, or 802.1Q where it names none. */
  @ParameterizedTest
  @CsvSource({"0x50, 0x88a8, 88a8", "0x10, 0x88a8, 8100", "0x50, 0x8100, 8100"})
  void shouldPutAVlanTagBackWhereItWas(String status, String type, String expectedType) {
    frame(Integer.decode(status), 0xE123, Integer.decode(type));
    assertThat(blocks.hasVlan(FRAME)).isTrue();
    blocks.restoreVlan(FRAME);
    assertThat(bytesAt(blocks.data(FRAME) - KernelBlock.VLAN_BYTES, 22))
        .isEqualTo(ADDRESSES + expectedType + "e123" + PACKET);
  }

  @Test
  void shouldReadAFrame() {
    frame(0, 0, 0);
    assertThat(blocks.packets(BLOCK)).isEqualTo(1);
    assertThat(blocks.firstFrame(BLOCK)).isEqualTo(FRAME);
    assertThat(blocks.nextFrame(FRAME)).isEqualTo(FRAME + 160);
    assertThat(blocks.timeNs(FRAME)).isEqualTo(7_000_000_009L);
    assertThat(blocks.capturedBytes(FRAME)).isEqualTo(18);
    assertThat(blocks.wireBytes(FRAME)).isEqualTo(64);
    assertThat(blocks.hasVlan(FRAME)).isFalse();
    assertThat(bytesAt(blocks.data(FRAME), 18)).isEqualTo(ADDRESSES + PACKET);
  }

  @ParameterizedTest
  @CsvSource({"0x80000000, true", "0x20000000, false", "0x40000000, false", "0, false"})
  void shouldTellTheCardsTimeFromTheHosts(String status, boolean byCard) {
    frame((int) (long) Long.decode(status), 0, 0);
    assertThat(blocks.hasHardwareTime(FRAME)).isEqualTo(byCard);
  }

  @Test
  void shouldBeTheReadersUntilItIsGivenBack() {
    assertThat(blocks.isReady(BLOCK)).isFalse();
    ring.set(JAVA_INT, BLOCK + 8, 1);
    assertThat(blocks.isReady(BLOCK)).isTrue();
    blocks.giveBack(BLOCK);
    assertThat(blocks.isReady(BLOCK)).isFalse();
  }
}
