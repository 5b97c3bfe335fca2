// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators;

import dev.flowstone.offheap.flows.FlowEntry;
import dev.flowstone.offheap.flows.FlowTableSize;
import dev.flowstone.offheap.flows.PackedPage;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * What stands before pages in state, so that they are never read as something else. Little-endian.
 *
 * <pre>
 *  0  4  "FlP" and the version of this layout, 2: pages as {@link PackedPage} has them
 *  4  2  version of how an entry begins, see {@link FlowEntry}
 *  6  4  version of the function
 * 10  4  bytes of the function in each entry
 * 14  4  bytes of each page, unpacked
 * 18 32  name of the function, then zeros
 * </pre>
 */
final class FlowPageHeader {
  private static final int MAGIC = 'F' | ('l' << 8) | ('P' << 16) | (2 << 24);
  private static final int ENTRY_VERSION_OFFSET = 4;
  private static final int FUNCTION_VERSION_OFFSET = 6;
  private static final int STATE_BYTES_OFFSET = 10;
  private static final int PAGE_BYTES_OFFSET = 14;
  private static final int NAME_OFFSET = 18;
  private static final int SIZE_BYTES = NAME_OFFSET + FlowStateFormat.LONGEST_NAME_BYTES;

  private final FlowStateFormat format;
  private final byte[] bytes;

  FlowPageHeader(FlowStateFormat format, int pageBytes) {
    this.format = format;
    bytes = new byte[SIZE_BYTES];
    littleEndian(bytes)
        .putInt(0, MAGIC)
        .putShort(ENTRY_VERSION_OFFSET, (short) FlowEntry.VERSION)
        .putInt(FUNCTION_VERSION_OFFSET, format.version())
        .putInt(STATE_BYTES_OFFSET, format.stateBytes())
        .putInt(PAGE_BYTES_OFFSET, pageBytes)
        .put(NAME_OFFSET, format.function().getBytes(StandardCharsets.UTF_8));
  }

  private static ByteBuffer littleEndian(byte[] bytes) {
    return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  int sizeBytes() {
    return SIZE_BYTES;
  }

  /** A header with room for so many bytes behind it. */
  byte[] before(int contentBytes) {
    return Arrays.copyOf(bytes, bytes.length + contentBytes);
  }

  /**
   * Makes sure that state begins as this function writes it.
   *
   * @return how many bytes of each flow it is of: the function's, or others where these may differ
   * @throws IllegalStateException if not
   */
  int stateBytesOf(byte[] found) {
    if (found.length >= SIZE_BYTES) {
      if (Arrays.equals(found, 0, SIZE_BYTES, bytes, 0, SIZE_BYTES)) {
        return format.stateBytes();
      }
      int stateBytes = littleEndian(found).getInt(STATE_BYTES_OFFSET);
      if (format.mayResize() && isOf(found, stateBytes)) {
        return stateBytes;
      }
    }
    throw new IllegalStateException(
        "the state's flows are of "
            + text(found)
            + ", this job's of "
            + text(bytes)
            + ": restore with the release and the options that wrote the savepoint, or begin anew");
  }

  /** Whether it is what this function writes when it has so many bytes of each flow. */
  private boolean isOf(byte[] found, int stateBytes) {
    if (!FlowTableSize.isPossible(stateBytes)) {
      return false;
    }
    FlowStateFormat other = new FlowStateFormat(format.function(), format.version(), stateBytes);
    byte[] expected =
        new FlowPageHeader(other, new FlowTableSize(stateBytes, 1).contentBytes()).bytes;
    return Arrays.equals(found, 0, SIZE_BYTES, expected, 0, SIZE_BYTES);
  }

  /** For people, of whatever was found. */
  private static String text(byte[] found) {
    ByteBuffer header = littleEndian(found);
    if (found.length < SIZE_BYTES || header.getInt(0) != MAGIC) {
      return "a layout that this release does not know";
    }
    return String.format(
        "function '%s' version %d with %d bytes a flow, pages of %d bytes, entries of version %d",
        new String(found, NAME_OFFSET, FlowStateFormat.LONGEST_NAME_BYTES, StandardCharsets.UTF_8)
            .replace("\0", ""),
        header.getInt(FUNCTION_VERSION_OFFSET),
        header.getInt(STATE_BYTES_OFFSET),
        header.getInt(PAGE_BYTES_OFFSET),
        header.getShort(ENTRY_VERSION_OFFSET));
  }
}
