// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.replay;

/** What a pcapng section says of one interface; a snap length of 0 means no limit. */
record CaptureInterface(int linkType, long snapLengthBytes, CaptureClock clock) {
  static final int DESCRIPTION_BYTES = 8;

  private static final int OPTION_END = 0;
  private static final int OPTION_TSRESOL = 9;
  private static final int OPTION_TSOFFSET = 14;
  private static final int OPTION_HEADER_BYTES = 4;

  /** Reads the body of an Interface Description Block, at least {@link #DESCRIPTION_BYTES} long. */
  static CaptureInterface read(MappedCapture capture, boolean bigEndian, long body, long end) {
    CaptureClock clock = CaptureClock.MICROSECONDS;
    long position = body + DESCRIPTION_BYTES;
    while (position + OPTION_HEADER_BYTES <= end) {
      int code = capture.unsignedShort(position, bigEndian);
      int length = capture.unsignedShort(position + 2, bigEndian);
      long value = position + OPTION_HEADER_BYTES;
      if (code == OPTION_END || value + length > end) {
        break;
      }
      if (code == OPTION_TSRESOL && length == Byte.BYTES) {
        clock = clock.withResolution(capture.unsignedByte(value));
      } else if (code == OPTION_TSOFFSET && length == Long.BYTES) {
        clock = clock.withOffsetSeconds(capture.int64(value, bigEndian));
      }
      position = value + ((length + 3) & ~3);
    }
    return new CaptureInterface(
        capture.unsignedShort(body, bigEndian), capture.unsignedInt(body + 4, bigEndian), clock);
  }
}
