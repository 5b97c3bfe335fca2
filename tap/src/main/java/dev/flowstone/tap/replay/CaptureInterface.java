// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.replay;

/** What a pcapng section says of one interface; a snap length of 0 means no limit. */
record CaptureInterface(
    int linkType,
    long snapLengthBytes,
    CaptureClock clock,
    int checkSequenceBytes,
    InterfaceLosses losses) {
  static final int DESCRIPTION_BYTES = 8;

  private static final int OPTION_TSRESOL = 9;
  private static final int OPTION_FCSLEN = 13;
  private static final int OPTION_TSOFFSET = 14;

  /** Reads the body of an Interface Description Block, at least {@link #DESCRIPTION_BYTES} long. */
  static CaptureInterface read(CaptureFile capture, boolean bigEndian, long body, long end) {
    return new CaptureInterface(
        capture.unsignedShort(body, bigEndian),
        capture.unsignedInt(body + 4, bigEndian),
        clock(capture, bigEndian, body + DESCRIPTION_BYTES, end),
        checkSequenceBytes(capture, bigEndian, body + DESCRIPTION_BYTES, end),
        new InterfaceLosses());
  }

  private static CaptureClock clock(
      CaptureFile capture, boolean bigEndian, long options, long end) {
    CaptureClock clock = CaptureClock.MICROSECONDS;
    long resolution =
        BlockOptions.find(capture, bigEndian, options, end, OPTION_TSRESOL, Byte.BYTES);
    if (resolution != BlockOptions.ABSENT) {
      clock = clock.withResolution(capture.unsignedByte(resolution));
    }
    long offset = BlockOptions.find(capture, bigEndian, options, end, OPTION_TSOFFSET, Long.BYTES);
    return offset == BlockOptions.ABSENT
        ? clock
        : clock.withOffsetSeconds(capture.int64(offset, bigEndian));
  }

  private static int checkSequenceBytes(
      CaptureFile capture, boolean bigEndian, long options, long end) {
    long value = BlockOptions.find(capture, bigEndian, options, end, OPTION_FCSLEN, Byte.BYTES);
    return value == BlockOptions.ABSENT
        ? 0
        : FrameCheckSequence.bytesOfInterfaceOption(capture.unsignedByte(value));
  }
}
