// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.sql.connector.filter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.model.abi.PacketRecordLayout;
import dev.flowstone.model.abi.RecordKind;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;

/** All conditions on two flags, of all packets of all flags. */
class FlagConditionsTest {
  private static final int FLAGS = 256;
  private static final int TCP = 6;
  private static final int UDP = 17;

  private final MemorySegment record = Arena.ofAuto().allocate(PacketBlock.RECORD_BYTES, 8);

  private void packet(int protocol, int flags) {
    record.set(ValueLayout.JAVA_BYTE, PacketRecordLayout.PROTOCOL_OFFSET, (byte) protocol);
    record.set(ValueLayout.JAVA_BYTE, PacketRecordLayout.TCP_FLAGS_OFFSET, (byte) flags);
    record.set(
        ValueLayout.JAVA_INT,
        PacketRecordLayout.DESCRIPTOR_OFFSET,
        RecordKind.IPV4 << PacketRecordLayout.KIND_SHIFT);
  }

  @Test
  void shouldBeBothWhateverTheyAskFor() {
    for (int one = 0; one < 8; one++) {
      for (int other = 0; other < 8; other++) {
        for (int wanted = 0; wanted < 4; wanted++) {
          requireBoth(
              new PacketTest.TcpFlags(1 << one, (wanted & 1) << one),
              new PacketTest.TcpFlags(1 << other, (wanted >> 1) << other));
        }
      }
    }
  }

  private void requireBoth(PacketTest.TcpFlags one, PacketTest.TcpFlags other) {
    PacketTest both = PacketTest.both(one, other);
    for (int flags = 0; flags < FLAGS; flags++) {
      boolean expected =
          (flags & one.mask()) == one.value() && (flags & other.mask()) == other.value();
      packet(TCP, flags);
      assertThat(both.holds(record, 0, 0)).as("%s of %x", both, flags).isEqualTo(expected);
      packet(UDP, flags);
      assertThat(both.holds(record, 0, 0)).as("not of TCP").isFalse();
    }
  }
}
