// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.plan;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class UnitTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "COUNT ; 12345 ; 12,345",
        "CORES ; 0.40812 ; 0.408 cores",
        "CORES ; 0.00123 ; 0.0012 cores",
        "CORES ; 12 ; 12 cores",
        "SECONDS ; 0.2 ; 200 ms",
        "SECONDS ; 30.44 ; 30.4 s",
        "SECONDS ; 119.7 ; 120 s",
        "SECONDS ; 600 ; 10 min",
        "SECONDS ; 86400 ; 24 h",
        "SECONDS ; 604800 ; 7 d",
        "MEMORY ; 512 ; 512 B",
        "MEMORY ; 17179869184 ; 16 GiB",
        "BYTES ; 74300000 ; 74.3 MB",
        "BYTES ; 999700000 ; 1 GB",
        "BYTES_PER_SECOND ; 1600 ; 1.6 kB/s",
        "BITS_PER_SECOND ; 1e10 ; 10 Gbit/s",
        "PACKETS ; 1.62e8 ; 162 M",
        "PACKETS_PER_SECOND ; 8e6 ; 8 M/s",
        "PACKETS_PER_SECOND ; 0.5 ; 0.5 /s",
      })
  void shouldSayThreeDigitsThatCount(Unit unit, double value, String text) {
    assertThat(unit.of(value)).isEqualTo(text);
  }
}
