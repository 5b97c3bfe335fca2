// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.format.flink;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.format.ColumnPacker;
import org.junit.jupiter.api.Test;

class ColumnPackersTest {
  private static final int MOST = 10;

  @Test
  void shouldPackInCpp() {
    assertThat(ColumnPackers.fastest(MOST)).isInstanceOf(ColumnPackers.InCpp.class);
  }

  @Test
  void shouldPackInJavaWhereNoLibraryWasBuilt() {
    ColumnPacker packer =
        ColumnPackers.fastest(
            MOST,
            most -> {
              throw new UnsatisfiedLinkError("no library for this architecture");
            });
    assertThat(packer).hasSameClassAs(ColumnPacker.inJava(MOST));
  }
}
