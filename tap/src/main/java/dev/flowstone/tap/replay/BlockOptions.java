// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.replay;

/**
 * The options at the end of a pcapng block.
 *
 * <pre>
 *   0      2        4
 *   | code | length | value, padded to 4 ... | next option ...
 * </pre>
 */
final class BlockOptions {
  /** Says where an option's value stands: nowhere. */
  static final long ABSENT = -1;

  /** Options beyond are not looked at. */
  static final int MOST_OPTIONS = 1024;

  private static final int END = 0;
  private static final int HEADER_BYTES = 4;

  private BlockOptions() {}

  /** The offset of the first option's value that has this code and length, or {@link #ABSENT}. */
  static long find(
      CaptureFile capture, boolean bigEndian, long start, long end, int code, int lengthBytes) {
    long position = start;
    for (int i = 0; i < MOST_OPTIONS && position + HEADER_BYTES <= end; i++) {
      int foundCode = capture.unsignedShort(position, bigEndian);
      int foundBytes = capture.unsignedShort(position + 2, bigEndian);
      long value = position + HEADER_BYTES;
      if (foundCode == END || value + foundBytes > end) {
        return ABSENT;
      }
      if (foundCode == code && foundBytes == lengthBytes) {
        return value;
      }
      position = value + ((foundBytes + 3) & ~3);
    }
    return ABSENT;
  }
}
