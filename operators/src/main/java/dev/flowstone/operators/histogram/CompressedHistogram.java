// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.histogram;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Base64;
import java.util.zip.Adler32;
import java.util.zip.Deflater;

/**
 * Histograms in HdrHistogram's own compressed form, version 2, which its libraries in other
 * languages read and merge. Big-endian:
 *
 * <pre>
 * 0  4  1c 84 93 14
 * 4  4  bytes that follow
 * 8     compressed by zlib:
 *        0  4  1c 84 93 13
 *        4  4  bytes of counts
 *        8  4  0
 *       12  4  digits
 *       16  8  lowest
 *       24  8  highest
 *       32  8  1.0
 *       40     counts, see {@link CountsCode}
 * </pre>
 *
 * Short ones are stored in zlib's form as they are: to begin a compression takes longer than all
 * else that is done for a flow's histogram, and saves some 50 bytes of it.
 *
 * <p>One is used again for many; its memory for compression is given back when it is collected. One
 * thread.
 */
final class CompressedHistogram {
  private static final int COOKIE = 0x1c849313;
  private static final int COMPRESSED_COOKIE = 0x1c849314;
  private static final int HEADER_BYTES = 40;
  private static final int OUTER_BYTES = 2 * Integer.BYTES;

  /** Of those that are stored; a flow's is rarely longer. */
  static final int MOST_STORED_BYTES = 512;

  /** A zlib stream of one block, the last, which is stored. */
  private static final byte[] STORED_HEADER = {0x78, 1, 1};

  /** What zlib may add to what it cannot compress, and more. */
  private static final int SLACK_BYTES = 64;

  private final Deflater deflater = new Deflater();
  private byte[] out = new byte[1 << 10];

  String base64(HistogramSubject range, byte[] counts) {
    byte[] plain =
        ByteBuffer.allocate(HEADER_BYTES + counts.length)
            .putInt(COOKIE)
            .putInt(counts.length)
            .putInt(0)
            .putInt(range.digits())
            .putLong(range.lowest())
            .putLong(range.highest())
            .putDouble(1.0)
            .put(counts)
            .array();
    int size = plain.length <= MOST_STORED_BYTES ? store(plain) : compress(plain);
    ByteBuffer.wrap(out).putInt(COMPRESSED_COOKIE).putInt(size);
    return Base64.getEncoder().encodeToString(Arrays.copyOf(out, OUTER_BYTES + size));
  }

  private int store(byte[] plain) {
    Adler32 sum = new Adler32();
    sum.update(plain);
    return ByteBuffer.wrap(out)
            .position(OUTER_BYTES)
            .put(STORED_HEADER)
            .order(ByteOrder.LITTLE_ENDIAN)
            .putShort((short) plain.length)
            .putShort((short) ~plain.length)
            .put(plain)
            .order(ByteOrder.BIG_ENDIAN)
            .putInt((int) sum.getValue())
            .position()
        - OUTER_BYTES;
  }

  private int compress(byte[] plain) {
    int most = OUTER_BYTES + plain.length + plain.length / 512 + SLACK_BYTES;
    if (out.length < most) {
      out = new byte[most];
    }
    deflater.reset();
    deflater.setInput(plain);
    deflater.finish();
    int size = deflater.deflate(out, OUTER_BYTES, out.length - OUTER_BYTES);
    assert deflater.finished() : "zlib made more of it: " + plain.length;
    return size;
  }
}
