// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.card;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.model.abi.CaptureBlockLayout;
import dev.flowstone.tap.replay.CaptureException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What becomes of captures in the card's memory, and which cannot be sent. */
class CardCaptureTest {
  private static final int RAW_IP = 101;
  private static final long SEED = 7;
  private static final ValueLayout.OfShort LENGTH =
      ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  @TempDir Path folder;

  private Path file(String name) {
    return folder.resolve(name);
  }

  /** What the card reads: lengths, then as many frames, each from a unit on. */
  private static List<byte[]> framesIn(MemorySegment memory) {
    List<byte[]> frames = new ArrayList<>();
    long at = 0;
    while (at < memory.byteSize()) {
      long lengths = at;
      at += CaptureBlockLayout.SIZE_BYTES;
      boolean hasEnded = false;
      for (int frame = 0; frame < CaptureBlockLayout.COUNT; frame++) {
        int bytes = Short.toUnsignedInt(memory.get(LENGTH, lengths + (long) frame * Short.BYTES));
        assertThat(hasEnded && bytes != 0).as("a frame behind the last one").isFalse();
        hasEnded = bytes == 0;
        if (!hasEnded) {
          frames.add(memory.asSlice(at, bytes).toArray(ValueLayout.JAVA_BYTE));
          at += Math.ceilDiv(bytes, 64) * 64L;
        }
      }
    }
    assertThat(at).isEqualTo(memory.byteSize());
    return frames;
  }

  /** Written over memory in which there was something. */
  private static List<byte[]> framesOf(CardCapture capture) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment memory = arena.allocate(capture.sizeBytes() + 4096).fill((byte) 0xEE);
      capture.writeTo(memory);
      assertThat(memory.asSlice(capture.sizeBytes()).toArray(ValueLayout.JAVA_BYTE))
          .containsOnly(0xEE);
      return framesIn(memory.asSlice(0, capture.sizeBytes()));
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 31, 32, 33, 64, 2000})
  void shouldLayFramesOutAsTheCardReadsThem(int count) {
    Random random = new Random(SEED);
    int[] sizes =
        random
            .ints(count, 1, 400)
            .map(size -> size % 40 == 0 ? CaptureBlocks.MOST_FRAME_BYTES : size)
            .toArray();
    CardCapture capture = CardCapture.of(List.of(MadeCapture.of(file("a.pcap"), sizes)));
    List<byte[]> frames = framesOf(capture);
    assertThat(capture.frames()).isEqualTo(count);
    assertThat(capture.units()).isEqualTo((int) (capture.sizeBytes() / 64));
    assertThat(frames).hasSize(count);
    for (int frame = 0; frame < count; frame++) {
      assertThat(frames.get(frame)).isEqualTo(MadeCapture.frame(frame, sizes[frame]));
    }
  }

  /** One block goes on into the next file. */
  @Test
  void shouldLayCapturesOutOneAfterTheOther() {
    Path first = MadeCapture.of(file("a.pcap"), 60, 64, 65);
    Path second = MadeCapture.of(file("b.pcap"), 1500);
    CardCapture capture = CardCapture.of(List.of(first, second, first));
    assertThat(framesOf(capture).stream().map(frame -> frame.length))
        .containsExactly(60, 64, 65, 1500, 60, 64, 65);
    assertThat(capture.sizeBytes()).isEqualTo(64 + 2 * (64 + 64 + 128) + 24 * 64);
  }

  /** Zeros stand for what the kernel does not look at, and nothing for what it does. */
  @Test
  void shouldSendFramesThatWereCutAsLongAsTheyWereWhereThatIsKnown() {
    int[] captured = {128, 129, 300, 60};
    int[] wire = {1000, 1000, 200, 60};
    Path cut = MadeCapture.of(file("a.pcap"), MadeCapture.ETHERNET, captured, wire);
    List<byte[]> frames = framesOf(CardCapture.of(List.of(cut)));
    assertThat(frames.stream().map(frame -> frame.length)).containsExactly(128, 1000, 300, 60);
    assertThat(frames.get(1)).isEqualTo(Arrays.copyOf(MadeCapture.frame(1, 129), 1000));
  }

  @Test
  void shouldSayWhereACaptureIsMalformed() throws Exception {
    Path file = MadeCapture.of(file("a.pcap"), 60, 60);
    byte[] whole = Files.readAllBytes(file);
    Files.write(file, Arrays.copyOf(whole, whole.length - 1));
    CardCapture capture = CardCapture.of(List.of(file));
    assertThat(capture.frames()).isEqualTo(1);
    assertThat(capture.notes())
        .singleElement()
        .asString()
        .isEqualTo(file + ": the file ends inside a record at byte 100");
  }

  @Test
  void shouldRefuseFramesThatNoWireHas() {
    Path empty = MadeCapture.of(file("empty.pcap"), 60, 0, 60);
    requireRefused(empty, "packet 2 has no byte of a frame: take a capture without it (editcap");
    Path large = MadeCapture.of(file("large.pcap"), 60, 60, 65536);
    requireRefused(large, "packet 3 is a frame of 65,536 bytes, and a card sends 65,535");
    int[] sizes = {60};
    Path cut =
        MadeCapture.of(file("cut.pcap"), MadeCapture.ETHERNET, new int[] {200}, new int[] {-1});
    requireRefused(cut, "packet 1 is a frame of 4,294,967,295 bytes");
    Path raw = MadeCapture.of(file("raw.pcap"), RAW_IP, sizes, sizes);
    requireRefused(raw, "packet 1 is of link type 101, and a port of a card takes Ethernet (1)");
  }

  private static void requireRefused(Path file, String said) {
    assertThatThrownBy(() -> CardCapture.of(List.of(file)))
        .isInstanceOf(CaptureException.class)
        .hasMessageStartingWith(file + ": ")
        .hasMessageContaining(said);
  }

  @Test
  void shouldRefuseWhatTheCardsMemoryHasNoRoomFor() {
    int[] captured = new int[5000];
    int[] wire = new int[5000];
    Arrays.fill(captured, 129);
    Arrays.fill(wire, CaptureBlocks.MOST_FRAME_BYTES);
    Path file = MadeCapture.of(file("a.pcap"), MadeCapture.ETHERNET, captured, wire);
    // 32 frames and their lengths take 32,769 units of 4,194,304.
    requireRefused(file, "packet 4096 does not fit into the card's memory, which has 256 MiB");
    requireRefused(file, "(editcap -r a.pcap OUT 1-4095)");
  }

  @Test
  void shouldNoticeACaptureThatChangesMeanwhile() {
    Path file = MadeCapture.of(file("a.pcap"), 60, 60);
    CardCapture capture = CardCapture.of(List.of(file));
    for (int[] other : List.of(new int[] {60}, new int[] {60, 60, 60}, new int[] {60, 65})) {
      MadeCapture.of(file, other);
      assertThatThrownBy(() -> framesOf(capture))
          .isInstanceOf(CaptureException.class)
          .hasMessage(
              file
                  + ": it is not what it was when the tap began: send a copy that nobody writes to");
    }
  }
}
