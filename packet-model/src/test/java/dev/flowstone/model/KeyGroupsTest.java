// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.util.MathUtils;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Compares with the Flink on the class path, not with a copy of it. */
class KeyGroupsTest {
  @Property(tries = 20_000)
  void shouldAgreeWithFlinkAboutTheKeyGroup(
      @ForAll int flowHash, @ForAll @IntRange(min = 1, max = 32768) int maxParallelism) {
    assertThat(KeyGroups.keyGroup(flowHash, maxParallelism))
        .isEqualTo(KeyGroupRangeAssignment.assignToKeyGroup(flowHash, maxParallelism));
  }

  @Property(tries = 5_000)
  void shouldAgreeWithFlinkAboutTheSubtask(
      @ForAll int flowHash,
      @ForAll @IntRange(min = 1, max = 32768) int maxParallelism,
      @ForAll @IntRange(min = 1, max = 32768) int wanted) {
    int parallelism = Math.min(wanted, maxParallelism);
    int keyGroup = KeyGroups.keyGroup(flowHash, maxParallelism);

    assertThat(KeyGroups.subtask(keyGroup, maxParallelism, parallelism))
        .isEqualTo(
            KeyGroupRangeAssignment.assignKeyToParallelOperator(
                flowHash, maxParallelism, parallelism));
  }

  @ParameterizedTest
  @CsvSource({"0", "1", "-1", "42", "2147483647", "-2147483648"})
  void shouldAgreeWithFlinkAtTheEdges(int flowHash) {
    assertThat(KeyGroups.keyGroup(flowHash, Integer.MAX_VALUE))
        .isEqualTo(MathUtils.murmurHash(flowHash) % Integer.MAX_VALUE);
  }

  @Property(tries = 200)
  void shouldNameTheSubtaskAsTheRing(
      @ForAll @IntRange(min = 1, max = 32768) int maxParallelism,
      @ForAll @IntRange(min = 1, max = 256) int wanted) {
    int rings = Math.min(wanted, maxParallelism);
    byte[] table = KeyGroups.ringTable(maxParallelism, rings);

    assertThat(table).hasSize(maxParallelism);
    for (int keyGroup = 0; keyGroup < maxParallelism; keyGroup++) {
      assertThat(Byte.toUnsignedInt(table[keyGroup]))
          .isEqualTo(
              KeyGroupRangeAssignment.computeOperatorIndexForKeyGroup(
                  maxParallelism, rings, keyGroup));
    }
  }

  @Test
  void shouldFollowTheExampleOfTheDocumentation() {
    assertThat(KeyGroups.keyGroup(0xd5d2f2ec, 128)).isEqualTo(30);
  }

  @Test
  void shouldRefuseMoreRingsThanKeyGroups() {
    assertThatThrownBy(() -> KeyGroups.ringTable(8, 9)).hasMessage("rings must be 1 to 8: 9");
  }

  @Test
  void shouldRefuseMoreRingsThanATableEntryCanName() {
    assertThatThrownBy(() -> KeyGroups.ringTable(32768, 257))
        .hasMessage("rings must be 1 to 256: 257");
  }

  @Test
  void shouldRefuseMoreKeyGroupsThanFlinkHas() {
    assertThatThrownBy(() -> KeyGroups.ringTable(32769, 1))
        .hasMessage("maxParallelism must be 1 to 32768: 32769");
  }
}
