// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.raw;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.model.abi.RawPacketFlag;
import dev.flowstone.model.abi.RawPacketLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;

class RawPacketBatchTest {
  @Test
  void shouldWriteEveryFieldWhereTheLayoutSays() {
    try (RawPacketBatch batch = new RawPacketBatch(2)) {
      batch.begin(MemorySegment.NULL);
      batch.append(1, 2, 3, 4, 5, RawPacketFlag.UNTIMED);
      batch.append(1L << 40, Long.MAX_VALUE, 0x7FFF_FFFF, -1, 0xFFFF, 0x8001);
      MemorySegment second =
          batch.descriptors().asSlice(RawPacketLayout.SIZE_BYTES, RawPacketLayout.SIZE_BYTES);
      assertThat(second.get(ValueLayout.JAVA_LONG, RawPacketLayout.DATA_OFFSET_OFFSET))
          .isEqualTo(1L << 40);
      assertThat(second.get(ValueLayout.JAVA_LONG, RawPacketLayout.TIME_NS_OFFSET))
          .isEqualTo(Long.MAX_VALUE);
      assertThat(second.get(ValueLayout.JAVA_INT, RawPacketLayout.CAPTURED_BYTES_OFFSET))
          .isEqualTo(0x7FFF_FFFF);
      assertThat(second.get(ValueLayout.JAVA_INT, RawPacketLayout.WIRE_BYTES_OFFSET)).isEqualTo(-1);
      assertThat(second.get(ValueLayout.JAVA_SHORT, RawPacketLayout.LINK_TYPE_OFFSET))
          .isEqualTo((short) -1);
      assertThat(second.get(ValueLayout.JAVA_SHORT, RawPacketLayout.FLAGS_OFFSET))
          .isEqualTo((short) 0x8001);
      assertThat(second.get(ValueLayout.JAVA_INT, RawPacketLayout.FLAGS_OFFSET + Short.BYTES))
          .isZero();
      assertThat(batch.wireBytes(1)).isEqualTo(0xFFFF_FFFFL);
      assertThat(batch.linkType(1)).isEqualTo(0xFFFF);
      assertThat(batch.flags(0)).isEqualTo(RawPacketFlag.UNTIMED);
      assertThat(batch.hasRoom()).isFalse();
    }
  }

  @Test
  void shouldRefuseCapacityOutOfRange() {
    assertThatThrownBy(() -> new RawPacketBatch(0)).hasMessageContaining("capacity=0");
  }
}
