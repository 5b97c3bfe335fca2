// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class GapHistogramTest {
  private static final long SECOND = 1_000_000_000;

  private static JsonNode result(String rule, long endNs, long overflow, long... gaps) {
    Histogram histogram = new Histogram(1, SECOND, 1);
    Arrays.stream(gaps).forEach(histogram::recordValue);
    ByteBuffer encoded = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
    int bytes = histogram.encodeIntoCompressedByteBuffer(encoded);
    return new ObjectMapper()
        .createObjectNode()
        .put("kind", "histogram")
        .put("measure", "inter_arrival")
        .put("rule", rule)
        .put("end_ns", endNs)
        .put("overflow", overflow)
        .put(
            "histogram", Base64.getEncoder().encodeToString(Arrays.copyOf(encoded.array(), bytes)));
  }

  private static GapHistogram of(long overflow, long... gaps) {
    return GapHistogram.of(result("udp", 0, overflow, gaps)).orElseThrow();
  }

  @Test
  void shouldDrawALineForEachDecadeAsLongAsItsShare() {
    assertThat(of(1, 120, 150, 200, 300, 5_000, 5_000, 20_000_000).lines(34, 20))
        .containsExactly(
            "100 ns  50.0% ##########",
            "  1 us  25.0% #####",
            " 10 us   0.0%",
            "100 us   0.0%",
            "  1 ms   0.0%",
            " 10 ms  12.5% ###",
            "longer  12.5% ###");
  }

  /** A few among many are what one looks for. */
  @Test
  void shouldShowWhatThereIsHoweverLittle() {
    long[] gaps = new long[1_000];
    Arrays.fill(gaps, 200);
    gaps[0] = 2_000;
    assertThat(of(0, gaps).lines(30, 20).getLast()).isEqualTo("  1 us   0.1% #");
  }

  @Test
  void shouldLeaveOutTheSmallerEndWhereRowsAreFew() {
    assertThat(of(0, 20, 200, 200, 2_000, 2_000, 20_000, 20_000).lines(40, 3))
        .extracting(line -> line.substring(0, 6))
        .containsExactly("100 ns", "  1 us", " 10 us");
  }

  @Test
  void shouldDrawNothingOfNoGaps() {
    assertThat(of(0).lines(40, 10)).isEmpty();
    assertThat(of(0).title()).isEqualTo("gaps of udp at 00:00:00: 0");
  }

  @Test
  void shouldRatherShowTheNewerOneAndOfOneIntervalTheLarger() {
    GapHistogram older = GapHistogram.of(result("a", SECOND, 0, 5, 5, 5)).orElseThrow();
    GapHistogram newer = GapHistogram.of(result("b", 2 * SECOND, 0, 5)).orElseThrow();
    GapHistogram larger = GapHistogram.of(result("c", 2 * SECOND, 0, 5, 5)).orElseThrow();
    assertThat(newer.isRatherShownThan(older)).isTrue();
    assertThat(older.isRatherShownThan(newer)).isFalse();
    assertThat(larger.isRatherShownThan(newer)).isTrue();
    assertThat(newer.isRatherShownThan(larger)).isFalse();
  }
}
