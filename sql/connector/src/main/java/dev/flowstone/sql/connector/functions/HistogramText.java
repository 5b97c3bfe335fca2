// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.sql.connector.functions;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;

/** Histograms as results and tables have them: HdrHistogram's own compressed form in Base64. */
final class HistogramText {
  private static final long LEAST_HIGHEST_VALUE = 0;

  private HistogramText() {}

  static Histogram read(String text) {
    try {
      return Histogram.decodeFromCompressedByteBuffer(
          ByteBuffer.wrap(Base64.getDecoder().decode(text)), LEAST_HIGHEST_VALUE);
    } catch (DataFormatException | RuntimeException e) {
      throw new IllegalArgumentException("not a histogram: " + text, e);
    }
  }

  static String write(Histogram histogram) {
    ByteBuffer bytes = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
    int length = histogram.encodeIntoCompressedByteBuffer(bytes);
    return Base64.getEncoder().encodeToString(Arrays.copyOf(bytes.array(), length));
  }
}
