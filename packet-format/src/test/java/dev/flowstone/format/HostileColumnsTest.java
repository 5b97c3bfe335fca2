// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.format;

import static dev.flowstone.model.abi.PacketColumns.DIRECTION;
import static dev.flowstone.model.abi.PacketColumns.DIRECTION_FLOW;
import static dev.flowstone.model.abi.PacketColumns.FLOW_PAIR;
import static dev.flowstone.model.abi.PacketColumns.TCP_FLAGS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import dev.flowstone.format.kafka.PacketBatchDeserializer;
import dev.flowstone.model.abi.PacketRecordLayout;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import org.apache.kafka.common.errors.SerializationException;
import org.junit.jupiter.api.Test;

/** Messages with a right checksum whose columns contradict each other, named by what is odd. */
class HostileColumnsTest {
  /** The second row follows in a direction, so the second direction has no first packet. */
  static byte[] directionWithoutPackets() {
    final ColumnMessage message = new ColumnMessage(1, 2, 2);
    message.columns[DIRECTION_FLOW] = new int[] {0, 1};
    message.columns[DIRECTION] = new int[] {0, 1};
    return message.write();
  }

  @Test
  void shouldRefuseDirectionWithoutPackets() {
    assertRefused(
        directionWithoutPackets(),
        "column direction",
        "1 of 2 packets begin a direction, direction_count is 2");
  }

  @Test
  void shouldTellKafkaOfDirectionWithoutPackets() {
    try (PacketBatchDeserializer deserializer = new PacketBatchDeserializer()) {
      assertThatThrownBy(() -> deserializer.deserialize("packets", directionWithoutPackets()))
          .isInstanceOf(SerializationException.class)
          .hasMessageContaining("topic packets")
          .hasMessageContaining("column direction");
    }
  }

  @Test
  void shouldRefuseMoreDirectionsThanCounted() {
    final ColumnMessage message = new ColumnMessage(1, 1, 3);
    message.columns[DIRECTION] = new int[] {0, 1, 0};
    assertRefused(
        message.write(),
        "column direction",
        "2 of 3 packets begin a direction, direction_count is 1");
  }

  @Test
  void shouldRefuseDirectionStillToCome() {
    final ColumnMessage message = new ColumnMessage(1, 2, 3);
    message.columns[DIRECTION_FLOW] = new int[] {0, 1};
    message.columns[DIRECTION] = new int[] {0, 2, 0};
    assertRefused(message.write(), "column direction", "row 1 names direction 1 of 1");
  }

  @Test
  void shouldRefuseDirectionBeyondTheSign() {
    final ColumnMessage message = new ColumnMessage(1, 1, 2);
    message.columns[DIRECTION] = new int[] {0, -1};
    assertRefused(message.write(), "column direction", "row 1 names direction 4294967294 of 1");
  }

  @Test
  void shouldRefuseMoreFlowsThanCounted() {
    assertRefused(
        new ColumnMessage(1, 2, 2).write(), "column direction_flow", "more than 1 flows begin");
  }

  @Test
  void shouldRefuseFlowWithoutDirections() {
    final ColumnMessage message = new ColumnMessage(2, 2, 2);
    message.columns[DIRECTION_FLOW] = new int[] {0, 1};
    assertRefused(message.write(), "column direction_flow", "1 flows begin, not 2");
  }

  @Test
  void shouldRefuseThirdDirectionOfAFlow() {
    final ColumnMessage message = new ColumnMessage(1, 3, 3);
    message.columns[DIRECTION_FLOW] = new int[] {0, 1, 1};
    assertRefused(
        message.write(),
        "column direction_flow",
        "row 2 names flow 0, which awaits no second direction");
  }

  @Test
  void shouldRefuseFlowBeforeTheFirst() {
    final ColumnMessage message = new ColumnMessage(1, 2, 2);
    message.columns[DIRECTION_FLOW] = new int[] {0, 2};
    assertRefused(
        message.write(),
        "column direction_flow",
        "row 1 names flow 4294967295, which awaits no second direction");
  }

  @Test
  void shouldRefusePairThatNoFlowTook() {
    final ColumnMessage message = new ColumnMessage(1, 2, 2, 2, 2);
    message.columns[FLOW_PAIR] = new int[] {0, 2};
    assertRefused(message.write(), "column flow_pair", "row 1 says 2 where 1 of 1 pairs are taken");
  }

  @Test
  void shouldRefusePairWithoutFlows() {
    final ColumnMessage message = new ColumnMessage(2, 2, 2, 2, 2);
    message.columns[FLOW_PAIR] = new int[] {0, 1};
    assertRefused(message.write(), "column flow_pair", "1 pairs are taken, not 2");
  }

  @Test
  void shouldRefuseMoreProfilesThanCounted() {
    final ColumnMessage message = new ColumnMessage(2, 2, 1, 2, 2);
    assertRefused(
        message.write(),
        "column direction_profile",
        "row 1 says 0 where 1 of 1 profiles are taken");
  }

  @Test
  void shouldRefuseMorePairsThanFlows() {
    assertRefused(
        new ColumnMessage(3, 2, 2, 2, 2).write(), "columns.pair_count", "3 pairs of 2 flows");
  }

  @Test
  void shouldRefuseMoreProfilesThanDirections() {
    assertRefused(
        new ColumnMessage(2, 2, 3, 2, 2).write(),
        "columns.profile_count",
        "3 profiles of 2 directions");
  }

  /** Exceptions of exceptions of exceptions of the first column. */
  @Test
  void shouldRefuseColumnsTooDeepWithinOneAnother() {
    final byte[] message = new ColumnMessage(1, 1, 1).write();
    for (int level = 0; level < 3; level++) {
      message[ColumnMessage.DATA_OFFSET + 3 * level] = (byte) 0x80;
      message[ColumnMessage.DATA_OFFSET + 3 * level + 1] = 1;
      message[ColumnMessage.DATA_OFFSET + 3 * level + 2] = 0;
    }
    ColumnMessage.sign(message);
    assertRefused(message, "column 0", "more than 3 columns within one another");
  }

  @Test
  void shouldRefuseExceptionsThatAreNone() {
    final byte[] message = new ColumnMessage(1, 1, 1).write();
    message[ColumnMessage.DATA_OFFSET] = (byte) 0x80;
    message[ColumnMessage.DATA_OFFSET + 1] = 0;
    message[ColumnMessage.DATA_OFFSET + 2] = 0;
    ColumnMessage.sign(message);
    assertRefused(message, "column 0", "0 exceptions in 1 rows");
  }

  @Test
  void shouldRefuseWidthsOfMoreThan32BitsTogether() {
    final byte[] message = new ColumnMessage(1, 1, 1).write();
    final int at = ColumnMessage.DATA_OFFSET;
    message[at] = (byte) (0x80 | 8); // one value of 8 bits, one exception, whose high part ...
    message[at + 1] = 0;
    message[at + 2] = 1;
    message[at + 3] = 0;
    message[at + 4] = 25;
    ColumnMessage.sign(message);
    assertRefused(message, "column 0", "width 25 where at most 24 bits are left");
  }

  /** As the Python reader does; no encoder writes such a value. */
  @Test
  void shouldTakeFlagsFromTheLowestByteOnly() {
    final ColumnMessage message = new ColumnMessage(1, 1, 1);
    message.columns[TCP_FLAGS] = new int[] {0x102};
    final PacketBatch batch = PacketBatch.decode(new PacketBatchDecoder(), message.write());
    assertThat(
            batch.records().get(ValueLayout.JAVA_BYTE, PacketRecordLayout.TCP_FLAGS_OFFSET) & 0xff)
        .isEqualTo(0x10);
  }

  @Test
  void shouldReadColumnsWithoutPackets() {
    final byte[] message = new ColumnMessage(0, 0, 0).write();
    assertThat(PacketBatch.decode(new PacketBatchDecoder(), message).count()).isZero();
  }

  /** Columns of equal values take no bytes: the shortest message may well hold most packets. */
  @Test
  void shouldUseNoMoreMemoryThanMostPacketsNeed() {
    final int most = PacketBatchEncoder.MAX_COUNT;
    final byte[] message = new ColumnMessage(most, most, most).write();
    assertThat(message).hasSizeLessThan(400);
    final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    final long before = threads.getCurrentThreadAllocatedBytes();
    assertThat(PacketBatch.decode(new PacketBatchDecoder(), message).count()).isEqualTo(most);
    final long allocated = threads.getCurrentThreadAllocatedBytes() - before;
    // The record, 32 column values, and what is known of its flow and direction.
    assertThat(allocated / most).as("bytes allocated per packet").isLessThan(64 + 32 * 4 + 130);
  }

  private static void assertRefused(byte[] message, String place, String reason) {
    // A decoder without scratch space: that of larger messages would hide an index beyond its rows.
    assertThatThrownBy(() -> PacketBatch.decode(new PacketBatchDecoder(), message))
        .isInstanceOfSatisfying(
            PacketBatchException.class,
            refused -> {
              assertThat(refused.place()).isEqualTo(place);
              assertThat(refused.reason()).isEqualTo(reason);
            });
  }
}
