// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.ruled;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.junit.jupiter.api.Test;

class RuledBlockTest {
  /** With Flink's generic serializer it could not leave its chain without harm. */
  @Test
  void shouldBeKnownToFlinkByItsOwnType() {
    assertThat(TypeInformation.of(RuledBlock.class)).isSameAs(RuledBlock.TYPE);
  }
}
