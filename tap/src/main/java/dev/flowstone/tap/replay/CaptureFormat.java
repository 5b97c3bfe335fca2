// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.replay;

import java.util.HexFormat;

/** The capture formats that can be replayed, told apart by content and never by name. */
enum CaptureFormat {
  PCAP,
  PCAPNG,
  ERF;

  static final String ACCEPTED =
      "pcap (magic a1b2c3d4, a1b23c4d or a1b2cd34 in either byte order), pcapng (0a0d0d0a) and ERF"
          + " records";

  private static final int LONGEST_EXCERPT_BYTES = 16;
  private static final int GZIP_MAGIC = 0x8b1f;
  private static final int ZSTANDARD_MAGIC = 0xfd2fb528;

  static CaptureFormat of(CaptureFile capture) {
    if (PcapReader.recognises(capture)) {
      return PCAP;
    }
    if (PcapngReader.recognises(capture)) {
      return PCAPNG;
    }
    if (ErfReader.recognises(capture)) {
      return ERF;
    }
    throw new CaptureException(
        capture.path() + ": offset 0: found " + found(capture) + "; accepted: " + ACCEPTED);
  }

  static CaptureReader open(CaptureFile capture, CaptureCounts counts) {
    return switch (of(capture)) {
      case PCAP -> new PcapReader(capture, counts);
      case PCAPNG -> new PcapngReader(capture, counts);
      case ERF -> new ErfReader(capture, counts);
    };
  }

  private static String found(CaptureFile capture) {
    if (capture.size() == 0) {
      return "an empty file";
    }
    if (capture.size() >= 4 && capture.int32(0, false) == ZSTANDARD_MAGIC) {
      return "a Zstandard archive (unpack it first: unzstd)";
    }
    if (capture.size() >= 2 && capture.unsignedShort(0, false) == GZIP_MAGIC) {
      return "a gzip archive (unpack it first: gunzip)";
    }
    byte[] excerpt = new byte[(int) Math.min(LONGEST_EXCERPT_BYTES, capture.size())];
    for (int i = 0; i < excerpt.length; i++) {
      excerpt[i] = (byte) capture.unsignedByte(i);
    }
    return "bytes " + HexFormat.of().formatHex(excerpt) + " in a file of " + capture.size();
  }
}
