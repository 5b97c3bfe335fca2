// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.format;

import static dev.flowstone.model.abi.PacketRecordLayout.SIZE_BYTES;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.function.ObjIntConsumer;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

class PacketBatchPropertyTest {
  @Property(tries = 300)
  void shouldRestoreWildRecords(
      @ForAll BodyKind body, @ForAll long seed, @ForAll @IntRange(max = 700) int count) {
    check(body, count, (records, n) -> WildRecords.fill(records, n, seed));
  }

  @Property(tries = 200)
  void shouldRestoreAnyMix(
      @ForAll long seed,
      @ForAll @IntRange(max = 3000) int count,
      @ForAll @IntRange(min = 1, max = 2000) int flows) {
    check(
        BodyKind.COLUMNS, count, (records, n) -> new TrafficMix(seed, flows, 1.0).fill(records, n));
  }

  /** One wild record among ordinary ones must cost an exception, not a wrong answer. */
  @Property(tries = 200)
  void shouldRestoreOutliers(@ForAll long seed, @ForAll @IntRange(min = 10, max = 2000) int count) {
    check(
        BodyKind.COLUMNS,
        count,
        (records, n) -> {
          new TrafficMix(seed, 50, 1.0).fill(records, n);
          WildRecords.fill(records.asSlice(n / 2 * SIZE_BYTES), 3, seed);
        });
  }

  private static void check(BodyKind body, int count, ObjIntConsumer<MemorySegment> fill) {
    try (Arena arena = Arena.ofConfined()) {
      final MemorySegment records = arena.allocate(Math.max(1, count) * SIZE_BYTES, 64);
      fill.accept(records, count);
      RoundTrip.check(body, records, null, count);
    }
  }
}
