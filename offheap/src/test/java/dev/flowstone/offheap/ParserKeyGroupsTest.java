// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;

/**
 * The key groups of the C++ library, which chooses rings and is what the card's kernel is compared
 * with, against the Flink on the class path.
 */
class ParserKeyGroupsTest {
  private static final int MOST_KEY_GROUPS = 32_768;
  private static final int HASHES = 100_000;
  private static final int ODD_STEP = 0x9E3779B9;

  /** Its murmur hash is the smallest int, which Math.abs gives no positive counterpart. */
  private static final int HASH_WITHOUT_COUNTERPART = 0x836F0755;

  private static final MethodHandle KEY_GROUP = keyGroupFunction();

  @Property(tries = 20_000)
  void shouldAgreeWithFlink(
      @ForAll int flowHash, @ForAll @IntRange(min = 1, max = MOST_KEY_GROUPS) int maxParallelism) {
    assertThat(keyGroup(flowHash, maxParallelism))
        .isEqualTo(KeyGroupRangeAssignment.assignToKeyGroup(flowHash, maxParallelism));
  }

  /** The only ones that a card takes. */
  @Example
  void shouldAgreeWithFlinkAtEachPowerOfTwo() {
    for (int maxParallelism = 1; maxParallelism <= MOST_KEY_GROUPS; maxParallelism *= 2) {
      for (int i = 0; i < HASHES; i++) {
        int flowHash = i * ODD_STEP;
        int expected = KeyGroupRangeAssignment.assignToKeyGroup(flowHash, maxParallelism);
        if (keyGroup(flowHash, maxParallelism) != expected) {
          assertThat(keyGroup(flowHash, maxParallelism))
              .as("flow hash %08x, max parallelism %d", flowHash, maxParallelism)
              .isEqualTo(expected);
        }
      }
    }
  }

  @Property(tries = 200)
  void shouldAgreeWithFlinkWhereTheSpreadHashHasNoPositiveCounterpart(
      @ForAll @IntRange(min = 1, max = MOST_KEY_GROUPS) int maxParallelism) {
    assertThat(keyGroup(HASH_WITHOUT_COUNTERPART, maxParallelism))
        .isEqualTo(
            KeyGroupRangeAssignment.assignToKeyGroup(HASH_WITHOUT_COUNTERPART, maxParallelism))
        .isZero();
  }

  private static int keyGroup(int flowHash, int maxParallelism) {
    try {
      return (int) KEY_GROUP.invokeExact(flowHash, maxParallelism);
    } catch (Throwable e) {
      throw new AssertionError(e);
    }
  }

  @SuppressWarnings("restricted")
  private static MethodHandle keyGroupFunction() {
    MemorySegment function = ParserLibrary.load().find("flowstone_key_group").orElseThrow();
    return Linker.nativeLinker()
        .downcallHandle(
            function,
            FunctionDescriptor.of(
                ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));
  }
}
