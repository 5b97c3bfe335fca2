// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.blocks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.model.PacketLoss;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.junit.jupiter.api.Test;

class PacketBlockTest {
  private static PacketBlock ten() {
    return PacketBlock.of(
        Records.origin(1000), Records.numbered(12), 2 * 64, 10, new PacketLoss(7, 1));
  }

  @Test
  void shouldReferToEachRecordOfTheRun() {
    PacketBlock block = ten();
    assertThat(block.count()).isEqualTo(10);
    assertThat(block.isContiguous()).isTrue();
    assertThat(Records.numbers(block)).containsExactly(2, 3, 4, 5, 6, 7, 8, 9, 10, 11);
    assertThat(block.positionOf(9)).isEqualTo(1009);
    assertThat(block.lossBefore()).isEqualTo(new PacketLoss(7, 1));
  }

  @Test
  void shouldSelectFromASelection() {
    PacketBlock odd = ten().select(new int[] {1, 3, 5, 7, 9, 0}, 5);
    assertThat(Records.numbers(odd)).containsExactly(3, 5, 7, 9, 11);
    PacketBlock two = odd.select(new int[] {1, 4}, 2);
    assertThat(Records.numbers(two)).containsExactly(5, 11);
    assertThat(Records.positions(two)).containsExactly(1003L, 1009L);
    assertThat(two.lossBefore())
        .as("told by the block that it was taken from")
        .isEqualTo(PacketLoss.NONE);
    assertThat(two.firstPosition()).isEqualTo(1000);
  }

  @Test
  void shouldKeepItsSelectionWhenTheCallersArrayChanges() {
    int[] indexes = {0, 1};
    PacketBlock selected = ten().select(indexes, 2);
    indexes[1] = 9;
    assertThat(Records.numbers(selected)).containsExactly(2, 3);
  }

  @Test
  void shouldRefuseIndexesThatDoNotAscendOrDoNotExist() {
    for (int[] wrong : new int[][] {{1, 1}, {2, 1}, {-1, 1}, {0, 10}}) {
      assertThatThrownBy(() -> ten().select(wrong, 2)).isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void shouldRefuseRecordsOutsideTheMemory() {
    assertThatThrownBy(
            () -> PacketBlock.of(Records.origin(0), Records.numbered(4), 64, 4, PacketLoss.NONE))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void shouldTellTimesAroundTheBase() {
    PacketBlock block = ten();
    assertThat(block.timeNs(0)).isEqualTo(Records.BASE_NS + 2_000);
    assertThat(block.lastTimeNs()).isEqualTo(Records.BASE_NS + 11_000);
    PacketBlockOrigin later =
        new PacketBlockOrigin(256, 1, 0, Records.BASE_NS + 900_000_000L, true);
    PacketBlock behind = PacketBlock.of(later, Records.numbered(1), 0, 1, PacketLoss.NONE);
    assertThat(behind.timeNs(0)).isEqualTo(Records.BASE_NS);
  }

  @Test
  void shouldCarryLossWithoutPackets() {
    PacketBlock empty = PacketBlock.empty(Records.origin(50), PacketLoss.inRing(9));
    assertThat(empty.isEmpty()).isTrue();
    assertThat(empty.lossBefore().inRing()).isEqualTo(9);
    assertThat(empty.lastTimeNs()).isEqualTo(Records.BASE_NS);
    assertThat(empty.withLossBefore(PacketLoss.NONE).lossBefore().isNone()).isTrue();
  }

  /** Whatever a fan-out makes of a block, the sum of its outputs' losses is the block's. */
  @Test
  void shouldNotMultiplyALossOverAFanOut() {
    PacketBlock input = ten();
    List<PacketBlock> outputs = new ArrayList<>();
    outputs.add(input.select(new int[] {0, 2, 4}, 3).withLossBefore(input.lossBefore()));
    outputs.add(input.select(new int[] {1, 3}, 2));
    outputs.add(input.select(new int[] {2, 4, 5}, 3));
    PacketLoss sum =
        outputs.stream().map(PacketBlock::lossBefore).reduce(PacketLoss.NONE, PacketLoss::plus);
    assertThat(sum).isEqualTo(input.lossBefore());
  }

  @Test
  void shouldOwnItsMemoryWhenAsked() {
    MemorySegment ring = Records.numbered(12);
    boolean[] stands = {true};
    PacketBlock borrowed =
        PacketBlock.borrowed(
            Records.origin(1000), ring, 0, 12, new PacketLoss(7, 1), _ -> stands[0]);
    PacketBlock selected = borrowed.select(new int[] {1, 2, 5, 11}, 4);
    PacketBlock whole = borrowed.owned();
    PacketBlock part = selected.owned();
    ring.fill((byte) 0);
    stands[0] = false;

    assertThat(borrowed.isOwned()).isFalse();
    assertThat(whole.isOwned()).isTrue();
    assertThat(whole.owned()).isSameAs(whole);
    assertThat(Records.numbers(whole)).isEqualTo(IntStream.range(0, 12).boxed().toList());
    assertThat(whole.lossBefore()).isEqualTo(borrowed.lossBefore());
    assertThat(Records.numbers(part)).containsExactly(1, 2, 5, 11);
    assertThat(Records.positions(part)).containsExactly(1001L, 1002L, 1005L, 1011L);
    assertThat(part.origin()).isEqualTo(borrowed.origin());
    whole.requireIntact();
    assertThatThrownBy(selected::owned).isInstanceOf(StaleBlockException.class);
    assertThatThrownBy(borrowed::requireIntact).hasMessageContaining("position 1000");
  }

  @Test
  void shouldBeKnownToFlinkByItsOwnType() {
    assertThat(TypeInformation.of(PacketBlock.class)).isSameAs(PacketBlockTypeInformation.INSTANCE);
  }
}
