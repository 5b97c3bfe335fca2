// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.monitoring.page;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class GapColumnTest {
  private final GapColumn column = new GapColumn("web", 2_000_000_000, 3_000_000_000L);

  private static String text(long... values) {
    Histogram histogram = new Histogram(10, 1_000_000_000, 1);
    Arrays.stream(values).forEach(histogram::recordValue);
    ByteBuffer bytes = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
    int length = histogram.encodeIntoCompressedByteBuffer(bytes);
    return Base64.getEncoder().encodeToString(Arrays.copyOf(bytes.array(), length));
  }

  private static long countOf(List<Long> bins) {
    long count = 0;
    for (int i = 1; i < bins.size(); i += 2) {
      count += bins.get(i);
    }
    return count;
  }

  @Test
  void shouldAddUpWhatIsToldOfOneInterval() {
    column.add(text(1_000, 1_000, 40_000_000), 2, 7_000_000_000L);
    column.add(text(1_000), 0, 1_000);
    GapColumn.View view = column.view();
    assertThat(view.beginMs()).isEqualTo(2_000);
    assertThat(view.endMs()).isEqualTo(3_000);
    assertThat(view.count()).isEqualTo(6);
    assertThat(view.overflow()).isEqualTo(2);
    assertThat(view.maxNs()).isEqualTo(7_000_000_000L);
    assertThat(countOf(view.bins())).isEqualTo(4);
    assertThat(view.bins().getFirst()).isBetween(29L, 30L);
  }

  /** As exact as one digit is, small values may be any of a range that is wider than a step. */
  @Test
  void shouldLeaveNoHolesWhereTheHistogramIsCoarse() {
    long[] values = new long[2_000];
    for (int i = 0; i < values.length; i++) {
      values[i] = 10L + i;
    }
    column.add(text(values), 0, 0);
    List<Long> bins = column.view().bins();
    assertThat(countOf(bins)).isEqualTo(values.length);
    for (int i = 2; i < bins.size(); i += 2) {
      assertThat(bins.get(i)).isEqualTo(bins.get(i - 2) + 1);
    }
  }

  @Test
  void shouldHaveAPlaceForEveryLength() {
    assertThat(GapColumn.bin(0)).isZero();
    assertThat(GapColumn.bin(1)).isZero();
    assertThat(GapColumn.bin(1_000)).isEqualTo(30);
    assertThat(GapColumn.bin(Long.MAX_VALUE)).isEqualTo(GapColumn.BINS - 1);
  }
}
