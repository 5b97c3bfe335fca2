// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.histogram;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.rules.function.Histogram.Measure;
import dev.flowstone.rules.function.Histogram.Per;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import java.util.Random;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.HdrHistogram.Histogram;

/** What is written is what the HdrHistogram library writes, and it reads it. */
class CompressedHistogramPropertyTest {
  private static final int LIBRARY_HEADER_BYTES = 40;

  @Property(tries = 200)
  void shouldBeReadByTheLibrary(@ForAll Random random) throws Exception {
    int digits = 1 + random.nextInt(3);
    HistogramSubject subject =
        new HistogramSubject(
            1, Measure.INTER_ARRIVAL, Per.RULE, null, "", 100, 10_000_000_000L, digits);
    HdrLayout layout = subject.layout();
    Histogram library = new Histogram(100, 10_000_000_000L, digits);
    long[] counts = new long[layout.length];
    for (int i = random.nextInt(100); i > 0; i--) {
      long value = random.nextLong(10_000_000_000L >> random.nextInt(30));
      long times = 1 + random.nextLong(1L << random.nextInt(55));
      library.recordValueWithCount(value, times);
      counts[layout.indexOf(value)] += times;
    }
    byte[] encoded = CountsCode.of(counts);
    assertThat(encoded).isEqualTo(encodedBy(library));
    assertDecodes(encoded, counts);

    CompressedHistogram compressed = new CompressedHistogram();
    compressed.base64(subject, new byte[random.nextInt(10_000)]);
    byte[] bytes = Base64.getDecoder().decode(compressed.base64(subject, encoded));
    assertThat(Histogram.decodeFromCompressedByteBuffer(ByteBuffer.wrap(bytes), 0))
        .isEqualTo(roundTrip(library));
  }

  /** What was recorded is known more exactly than what is decoded. */
  private static Histogram roundTrip(Histogram library) {
    ByteBuffer buffer = ByteBuffer.allocate(library.getNeededByteBufferCapacity());
    library.encodeIntoByteBuffer(buffer);
    buffer.rewind();
    return Histogram.decodeFromByteBuffer(buffer, 0);
  }

  private static byte[] encodedBy(Histogram library) {
    if (library.getTotalCount() == 0) {
      // It writes the zero of its first count, which says nothing.
      return new byte[0];
    }
    ByteBuffer buffer = ByteBuffer.allocate(library.getNeededByteBufferCapacity());
    int size = library.encodeIntoByteBuffer(buffer);
    return Arrays.copyOfRange(buffer.array(), LIBRARY_HEADER_BYTES, size);
  }

  private static void assertDecodes(byte[] encoded, long[] counts) {
    long[] twice = counts.clone();
    CountsCode.addTo(twice, encoded);
    assertThat(twice).isEqualTo(Arrays.stream(counts).map(count -> 2 * count).toArray());
    assertThat(CountsCode.sum(encoded, encoded)).isEqualTo(CountsCode.of(twice));
  }

  @Property(tries = 200)
  void shouldAddUpAsArraysDo(@ForAll Random random) {
    long[] sum = new long[1 + random.nextInt(60)];
    byte[][] encoded = new byte[2][];
    for (int part = 0; part < encoded.length; part++) {
      long[] counts = new long[sum.length];
      for (int i = random.nextInt(sum.length + 1); i > 0; i--) {
        counts[random.nextInt(counts.length)] = random.nextLong(1L << 40);
      }
      encoded[part] = CountsCode.of(counts);
      Arrays.setAll(sum, i -> sum[i] + counts[i]);
    }
    assertThat(CountsCode.sum(encoded[0], encoded[1])).isEqualTo(CountsCode.of(sum));
  }

  @Example
  void shouldWriteTheExample() {
    long[] counts = {0, 0, 0, 5, 300, 0};
    assertThat(CountsCode.of(counts)).isEqualTo(new byte[] {0x05, 0x0a, (byte) 0xd8, 0x04});
  }

  @Example
  void shouldWriteCountsOfAllLengths() {
    for (int bits = 0; bits < Long.SIZE - 1; bits++) {
      long[] counts = {0, (1L << bits) - 1 | 1, 1L << bits};
      byte[] encoded = CountsCode.of(counts);
      long[] decoded = new long[counts.length];
      CountsCode.addTo(decoded, encoded);
      assertThat(decoded).isEqualTo(counts);
    }
  }

  @Example
  void shouldSayWhenStateIsDamaged() {
    assertThatThrownBy(() -> CountsCode.addTo(new long[2], new byte[] {2, 2, 2}))
        .hasMessageContaining("damaged state");
  }
}
