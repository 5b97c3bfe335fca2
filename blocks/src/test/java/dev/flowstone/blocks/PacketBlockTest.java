// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.blocks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.junit.jupiter.api.Test;

class PacketBlockTest {
  private static PacketBlock ten() {
    return PacketBlock.of(Records.origin(1000), Records.numbered(12), 2 * 64, 10, 7);
  }

  @Test
  void shouldReferToEachRecordOfTheRun() {
    PacketBlock block = ten();
    assertThat(block.count()).isEqualTo(10);
    assertThat(block.isContiguous()).isTrue();
    assertThat(Records.numbers(block)).containsExactly(2, 3, 4, 5, 6, 7, 8, 9, 10, 11);
    assertThat(block.positionOf(9)).isEqualTo(1009);
    assertThat(block.lostBefore()).isEqualTo(7);
  }

  @Test
  void shouldSelectFromASelection() {
    PacketBlock odd = ten().select(new int[] {1, 3, 5, 7, 9, 0}, 5);
    assertThat(Records.numbers(odd)).containsExactly(3, 5, 7, 9, 11);
    PacketBlock two = odd.select(new int[] {1, 4}, 2);
    assertThat(Records.numbers(two)).containsExactly(5, 11);
    assertThat(Records.positions(two)).containsExactly(1003L, 1009L);
    assertThat(two.lostBefore()).isEqualTo(7);
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
    assertThatThrownBy(() -> PacketBlock.of(Records.origin(0), Records.numbered(4), 64, 4, 0))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> PacketBlock.empty(Records.origin(0), -1))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void shouldTellTimesAroundTheBase() {
    PacketBlock block = ten();
    assertThat(block.timeNs(0)).isEqualTo(Records.BASE_NS + 2_000);
    assertThat(block.lastTimeNs()).isEqualTo(Records.BASE_NS + 11_000);
    PacketBlockOrigin later = new PacketBlockOrigin(0, 1, 0, Records.BASE_NS + 900_000_000L, true);
    PacketBlock behind = PacketBlock.of(later, Records.numbered(1), 0, 1, 0);
    assertThat(behind.timeNs(0)).isEqualTo(Records.BASE_NS);
  }

  @Test
  void shouldCarryLossWithoutPackets() {
    PacketBlock empty = PacketBlock.empty(Records.origin(50), 9);
    assertThat(empty.isEmpty()).isTrue();
    assertThat(empty.lostBefore()).isEqualTo(9);
    assertThat(empty.lastTimeNs()).isEqualTo(Records.BASE_NS);
    assertThat(empty.withLostBefore(0).lostBefore()).isZero();
  }

  @Test
  void shouldBeKnownToFlinkByItsOwnType() {
    assertThat(TypeInformation.of(PacketBlock.class)).isSameAs(PacketBlockTypeInformation.INSTANCE);
  }
}
