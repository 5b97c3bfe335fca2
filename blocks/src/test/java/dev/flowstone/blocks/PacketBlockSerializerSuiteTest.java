// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.blocks;

import dev.flowstone.model.PacketLoss;
import org.apache.flink.api.common.typeutils.SerializerTestBase;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.testutils.DeeplyEqualsChecker;
import org.junit.jupiter.api.Timeout;

/** Flink's suite for serializers on every kind of block. */
@Timeout(60)
class PacketBlockSerializerSuiteTest extends SerializerTestBase<PacketBlock> {
  private static final PacketLoss LOSS = new PacketLoss(5, 2);
  private static final int VARIABLE_LENGTH = -1;

  PacketBlockSerializerSuiteTest() {
    super(
        new DeeplyEqualsChecker()
            .withCustomCheck(
                (one, other) -> one instanceof PacketBlock && other instanceof PacketBlock,
                (one, other, _) -> isSame((PacketBlock) one, (PacketBlock) other)));
  }

  @Override
  protected TypeSerializer<PacketBlock> createSerializer() {
    return new PacketBlockSerializer();
  }

  @Override
  protected int getLength() {
    return VARIABLE_LENGTH;
  }

  @Override
  protected Class<PacketBlock> getTypeClass() {
    return PacketBlock.class;
  }

  @Override
  protected PacketBlock[] getTestData() {
    return new PacketBlock[] {
      run(1),
      run(64),
      run(65),
      run(1024),
      run(PacketBlock.MOST_RECORDS),
      run(PacketBlock.MOST_RECORDS).select(new int[] {0, 17, 40_000, 65_534}, 4),
      run(3).select(new int[] {1}, 1).withLossBefore(LOSS),
      run(4).select(new int[0], 0),
      PacketBlock.empty(Records.origin(9), LOSS),
      PacketBlock.borrowed(
          Records.origin(77), Records.numbered(4), 0, 4, PacketLoss.NONE, _ -> true),
    };
  }

  private static PacketBlock run(int count) {
    return PacketBlock.of(Records.origin(77), Records.numbered(count), 0, count, LOSS);
  }

  private static boolean isSame(PacketBlock one, PacketBlock other) {
    return one.origin().equals(other.origin())
        && one.lossBefore().equals(other.lossBefore())
        && Records.numbers(one).equals(Records.numbers(other))
        && Records.positions(one).equals(Records.positions(other));
  }
}
