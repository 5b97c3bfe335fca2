// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.card;

import dev.flowstone.model.abi.CaptureBlockLayout;
import dev.flowstone.model.abi.CardRingRegistersLayout;
import dev.flowstone.model.abi.PacketRecordLayout;
import dev.flowstone.raw.MalformedNote;
import dev.flowstone.tap.replay.CaptureException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Captures that a port of a card without a cable is to be sent, one after the other. They are read
 * twice: once for their size, and once into memory that has it.
 *
 * @param sizeBytes of their frames as they lie in the card's memory
 * @param notes the first places where they are malformed, and have no frame
 */
public record CardCapture(
    List<Path> files, long frames, long sizeBytes, List<MalformedNote> notes) {
  /** Nothing comes at that port. */
  public static final CardCapture NONE = new CardCapture(List.of(), 0, 0, List.of());

  /** One channel of the card's memory: the largest ring has all of one. */
  static final long MOST_BYTES =
      PacketRecordLayout.SIZE_BYTES << CardRingRegistersLayout.MOST_SLOTS_LOG2;

  public CardCapture {
    files = List.copyOf(files);
    notes = List.copyOf(notes);
  }

  /**
   * Captures as they are now.
   *
   * @throws CaptureException if they cannot be sent
   */
  public static CardCapture of(List<Path> files) {
    Size size = new Size();
    List<MalformedNote> notes = new ArrayList<>();
    for (Path file : files) {
      notes.addAll(CapturedFrames.read(file, size.of(file)));
    }
    return new CardCapture(files, size.frames, size.bytes, notes);
  }

  private static final class Size {
    private long frames;
    private long bytes;

    CapturedFrames.Taker of(Path file) {
      return (from, offset, capturedBytes, frameBytes, number) -> {
        bytes += CaptureBlocks.sizeBytes(frameBytes, frames);
        frames++;
        if (bytes > MOST_BYTES) {
          throw tooLarge(file, number);
        }
      };
    }

    private static CaptureException tooLarge(Path file, long number) {
      return new CaptureException(
          "%s: packet %d does not fit into the card's memory, which has %d MiB for each port: send less, such as what is before it (editcap -r %s OUT 1-%d)"
              .formatted(file, number, MOST_BYTES >> 20, file.getFileName(), number - 1));
    }
  }

  int units() {
    return Math.toIntExact(sizeBytes / CaptureBlockLayout.UNIT_BYTES);
  }

  /**
   * Writes them as the card's source reads them.
   *
   * @throws CaptureException if they are not what they were
   */
  void writeTo(MemorySegment memory) {
    CaptureBlocks blocks = new CaptureBlocks(memory.asSlice(0, sizeBytes));
    Size size = new Size();
    for (Path file : files) {
      CapturedFrames.Taker counted = size.of(file);
      CapturedFrames.read(
          file,
          (from, offset, capturedBytes, frameBytes, number) -> {
            counted.take(from, offset, capturedBytes, frameBytes, number);
            if (size.bytes > sizeBytes) {
              throw changed(file);
            }
            blocks.add(from, offset, capturedBytes, frameBytes);
          });
    }
    if (size.frames != frames || blocks.endOffset() != sizeBytes) {
      throw changed(files.getLast());
    }
  }

  private static CaptureException changed(Path file) {
    return new CaptureException(
        file + ": it is not what it was when the tap began: send a copy that nobody writes to");
  }
}
