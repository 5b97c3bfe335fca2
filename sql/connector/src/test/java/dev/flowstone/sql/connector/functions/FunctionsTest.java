// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.sql.connector.functions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FunctionsTest {
  private static String histogram(int digits, long... values) {
    Histogram histogram = new Histogram(100, 10_000_000_000L, digits);
    for (long value : values) {
      histogram.recordValue(value);
    }
    ByteBuffer bytes = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
    int length = histogram.encodeIntoCompressedByteBuffer(bytes);
    return Base64.getEncoder().encodeToString(Arrays.copyOf(bytes.array(), length));
  }

  @Test
  void shouldReadHistograms() {
    String three = histogram(2, 1_000, 2_000, 1_000_000);
    assertThat(new HistogramCount().eval(three)).isEqualTo(3);
    assertThat(new HistogramQuantile().eval(three, 0.5)).isEqualTo(2_047L);
    assertThat(new HistogramQuantile().eval(three, 1.0)).isEqualTo(1_003_519L);
    assertThat(new HistogramQuantile().eval(histogram(2), 0.5)).isNull();
    assertThat(new HistogramQuantile().eval(null, 0.5)).isNull();
    assertThat(new HistogramQuantile().eval(histogram(2), 0.5, 1L, 2_000L)).isEqualTo(2_000L);
    assertThat(new HistogramQuantile().eval(three, 1.0, 0L, 1_000_000L)).isEqualTo(1_000_000L);
    assertThat(new HistogramQuantile().eval(three, 0.5, 0L, null)).isNull();
    assertThat(new HistogramCount().eval(null)).isNull();
    assertThat(new HistogramCount().eval(three, null)).isNull();
    assertThatThrownBy(() -> new HistogramQuantile().eval(three, 99.0))
        .hasMessage("a quantile is from 0 to 1: 99.0");
    assertThatThrownBy(() -> new HistogramCount().eval("QUJD")).hasMessage("not a histogram: QUJD");
  }

  @Test
  void shouldRoundQuantilesAsHdrHistogramDoes() {
    String hundred = histogram(3, LongStream.rangeClosed(1, 100).map(i -> i * 1_000).toArray());
    Histogram read = HistogramText.read(hundred);
    for (int permille = 1; permille <= 1_000; permille++) {
      double part = permille / 1e3;
      assertThat(new HistogramQuantile().eval(hundred, part))
          .as("%s", part)
          .isEqualTo(read.getValueAtPercentile(part * 100));
    }
  }

  /** In whatever order, and also of others' sums, and of several digits. */
  @Test
  void shouldMergeAsOneHistogramOfAllValues() {
    SplittableRandom random = new SplittableRandom(5);
    long[] all = random.longs(3_000, 100, 10_000_000_000L).toArray();
    HistogramMerge function = new HistogramMerge();
    HistogramMerge.Merged first = function.createAccumulator();
    HistogramMerge.Merged second = function.createAccumulator();
    assertThat(function.getValue(first)).isNull();
    for (int i = 0; i < 30; i++) {
      long[] some = Arrays.copyOfRange(all, i * 100, (i + 1) * 100);
      function.accumulate(i % 3 == 0 ? first : second, histogram(i % 3 == 0 ? 1 : 2, some));
      function.accumulate(first, null);
    }
    function.merge(first, List.of(second, function.createAccumulator()));
    String merged = function.getValue(first);
    assertThat(new HistogramCount().eval(merged)).isEqualTo(3_000);
    Histogram exact = HistogramText.read(histogram(3, all));
    for (double part : new double[] {0.1, 0.5, 0.9, 0.99}) {
      long expected = exact.getValueAtPercentile(100 * part);
      assertThat((double) new HistogramQuantile().eval(merged, part))
          .isBetween(expected * 0.9, expected * 1.1);
    }
    assertThat(HistogramText.read(merged).getNumberOfSignificantValueDigits()).isEqualTo(2);
  }

  @ParameterizedTest
  @CsvSource({
    "10.1.2.3, 10.0.0.0/8, true",
    "11.1.2.3, 10.0.0.0/8, false",
    "10.1.2.3, 10.1.2.3, true",
    "10.1.2.3, 0.0.2.0/0.0.255.0, true",
    "2001:db8::1, 2001:db8::/32, true",
    "2001:db9::1, 2001:db8::/32, false",
    "10.1.2.3, ::/0, false",
    "2001:db8::1, 0.0.0.0/0, false",
    ", 10.0.0.0/8, ",
    "10.1.2.3, , ",
  })
  void shouldKnowWhatIsInAPrefix(String address, String prefix, Boolean expected) {
    InPrefix function = new InPrefix();
    for (int i = 0; i < 2; i++) {
      assertThat(function.eval(address, prefix)).isEqualTo(expected);
    }
  }

  @Test
  void shouldNameThePrefixOfAnAddress() {
    PrefixOf function = new PrefixOf();
    assertThat(function.eval("10.1.2.3", 24, 48)).isEqualTo("10.1.2.0/24");
    assertThat(function.eval("2001:db8:1:2::3", 24, 48)).isEqualTo("2001:db8:1::/48");
    assertThat(function.eval("10.1.2.3", 0)).isEqualTo("0.0.0.0/0");
    assertThat(function.eval("10.1.2.3", 32)).isEqualTo("10.1.2.3");
    assertThat(function.eval(null, 24)).isNull();
    assertThat(function.eval("10.1.2.3", 24, null)).isNull();
    assertThatThrownBy(() -> function.eval("10.1.2.3", 33)).hasMessageContaining("not 33");
    assertThatThrownBy(() -> function.eval("::1", 24, -1)).hasMessageContaining("not -1");
  }

  @Test
  void shouldWriteFlagsAndAddresses() {
    assertThat(new TcpFlagsText().eval(0x12)).isEqualTo("SYN,ACK");
    assertThat(new TcpFlagsText().eval(0xff)).isEqualTo("FIN,SYN,RST,PSH,ACK,URG,ECE,CWR");
    assertThat(new TcpFlagsText().eval(0)).isEmpty();
    assertThat(new TcpFlagsText().eval(null)).isNull();
    IpText text = new IpText();
    assertThat(text.eval(0xc0a8_0001L)).isEqualTo("192.168.0.1");
    assertThat(text.eval(new byte[] {10, 0, 0, (byte) 200})).isEqualTo("10.0.0.200");
    byte[] ipv6 = new byte[16];
    ipv6[0] = 0x20;
    ipv6[1] = 1;
    ipv6[15] = 1;
    assertThat(text.eval(ipv6)).isEqualTo("2001::1");
    assertThatThrownBy(() -> text.eval(new byte[5]))
        .hasMessage("an address has 4 bytes or 16, not 5");
    assertThatThrownBy(() -> text.eval(1L << 32)).hasMessageContaining("32 bits");
  }

  @Test
  void shouldHashBothDirectionsAlike() {
    FlowHashOf hash = new FlowHashOf();
    Long there = hash.eval("10.0.0.1", "10.0.0.2", 1_234, 80, 6);
    assertThat(there).isEqualTo(hash.eval("10.0.0.2", "10.0.0.1", 80, 1_234, 6));
    assertThat(there).isNotEqualTo(hash.eval("10.0.0.1", "10.0.0.2", 1_235, 80, 6));
    assertThat(hash.eval("10.0.0.1", null, 1_234, 80, 6)).isNull();
  }
}
