// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.monitoring.page;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.model.abi.PacketRecordLayout;
import dev.flowstone.model.abi.RingClock;
import dev.flowstone.monitoring.page.RingsView.Ring;
import dev.flowstone.offheap.ring.RingAppender;
import dev.flowstone.offheap.ring.RingDirectory;
import dev.flowstone.offheap.ring.RingSetWriter;
import dev.flowstone.offheap.ring.RingSpecification;
import dev.flowstone.offheap.ring.WhenFull;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RingsWatchTest {
  private static final long SECOND_NS = 1_000_000_000L;
  private static final int SLOTS_LOG2 = 12;

  @TempDir private Path folder;
  private final Incidents incidents = new Incidents();
  private long nowNs = 7 * SECOND_NS;
  private RingsWatch watch;

  @BeforeEach
  void begin() {
    watch = new RingsWatch(List.of(folder), incidents, () -> nowNs);
  }

  /** Of the only ring. */
  private Ring look() {
    return watch.look().rings().getFirst();
  }

  private RingSetWriter tap() {
    return RingSetWriter.create(
        new RingDirectory(folder),
        new RingSpecification(1, SLOTS_LOG2, RingClock.SYNTHETIC, 1, "test", Optional.empty()),
        WhenFull.DROP);
  }

  /** Nobody reads them: what is in the records does not matter. */
  private static void offer(RingSetWriter tap, int written, int dropped, int lostBefore) {
    RingAppender ring = tap.appender(0);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment records =
          arena.allocate(Math.max(written, dropped) * PacketRecordLayout.SIZE_BYTES, 64);
      assertThat(ring.append(records, 0, written, 1, true)).isEqualTo(written);
      ring.drop(records, 0, dropped, 1);
      ring.lostBeforeTap(lostBefore, 1);
    }
  }

  private static void requireNoRate(Ring ring) {
    assertThat(List.of(ring.offered(), ring.written(), ring.dropped(), ring.lostBeforeTap()))
        .extracting(Count::perSecond)
        .containsOnlyNulls();
  }

  @Test
  void shouldTellHowFastEachCounterOfARingGrows() {
    try (RingSetWriter tap = tap()) {
      offer(tap, 500, 200, 30);
      Ring first = look();
      assertThat(first.offered()).isEqualTo(new Count(700, null));
      requireNoRate(first);
      offer(tap, 600, 80, 14);
      nowNs += 2 * SECOND_NS;
      Ring second = look();
      assertThat(second.offered()).isEqualTo(new Count(1_380, 340L));
      assertThat(second.written()).isEqualTo(new Count(1_100, 300L));
      assertThat(second.dropped()).isEqualTo(new Count(280, 40L));
      assertThat(second.lostBeforeTap()).isEqualTo(new Count(44, 7L));
      nowNs += SECOND_NS;
      assertThat(look().offered()).isEqualTo(new Count(1_380, 0L));
    }
  }

  /** What the former one had counted says nothing of it, whether that was less or more. */
  @Test
  void shouldKnowNoRateOfARingMadeAnew() {
    for (int written : new int[] {500, 900, 100}) {
      try (RingSetWriter tap = tap()) {
        offer(tap, written, written, written);
        nowNs += SECOND_NS;
        Ring first = look();
        assertThat(first.written().count()).isEqualTo(written);
        requireNoRate(first);
        offer(tap, 10, 20, 30);
        nowNs += SECOND_NS;
        Ring second = look();
        assertThat(second.written().perSecond()).isEqualTo(10);
        assertThat(second.dropped().perSecond()).isEqualTo(20);
      }
    }
  }

  @Test
  void shouldKnowNoRateWhereNobodyHasLookedForLong() {
    try (RingSetWriter tap = tap()) {
      offer(tap, 500, 200, 30);
      look();
      offer(tap, 600, 80, 14);
      nowNs += StageMoments.LONGEST_PAUSE_NS;
      requireNoRate(look());
    }
  }

  @Test
  void shouldEndWhatWentOnAtARingThatIsThereNoMore() {
    long longAgoMs = System.currentTimeMillis() - 60_000;
    incidents.goesOn(
        "drops " + folder.resolve("ring-000.ring"), Incidents.Kind.RING, longAgoMs, "full");
    watch.look();
    assertThat(incidents.all().getFirst().goesOn()).isFalse();
    assertThat(incidents.all().getFirst().endMs()).isEqualTo(longAgoMs);
  }
}
