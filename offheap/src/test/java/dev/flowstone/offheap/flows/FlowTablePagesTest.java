// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.flows;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which pages are to be written, and what comes back; entries of 1,024 bytes, four on a page. */
class FlowTablePagesTest {
  private static final int STATE_BYTES = 1_024 - FlowEntry.KEY_BYTES;

  private FlowTable table;
  private FlowTablePages pages;

  @BeforeEach
  void begin() {
    table = new FlowTable(new FlowTableSize(STATE_BYTES, 100), 0, 1, 1);
    pages = new FlowTablePages(table);
  }

  @AfterEach
  void end() {
    table.close();
  }

  private long[] add(int from, int to) {
    return FlowTableTest.add(table, from, to);
  }

  private List<Integer> changed() {
    List<Integer> changed = new ArrayList<>();
    for (int number = 0; number < pages.pageNumbers(0); number++) {
      if (pages.isChanged(0, number)) {
        changed.add(number);
      }
    }
    return changed;
  }

  private void saveAll() {
    for (int number = 0; number < pages.pageNumbers(0); number++) {
      pages.saved(0, number);
    }
    assertThat(changed()).isEmpty();
  }

  @Test
  void shouldKnowWhichPagesChanged() {
    long[] entries = add(0, 12);
    assertThat(changed()).containsExactly(0, 1, 2);
    saveAll();
    add(5, 6);
    assertThat(changed()).containsExactly(1);
    table.touch(entries[11]);
    assertThat(changed()).containsExactly(1, 2);
    for (int i = 0; i < 4; i++) {
      table.remove(entries[i]);
    }
    assertThat(changed()).containsExactly(0, 1, 2);
    assertThat(pages.hasPage(0, 0)).isFalse();
    pages.saved(0, 0);
    assertThat(changed()).containsExactly(1, 2);
  }

  @Test
  void shouldKnowThatAPageChangedWhichAFlowLeftOrJoined() {
    long[] entries = add(0, 11);
    saveAll();
    table.remove(entries[2]);
    assertThat(changed()).containsExactly(0);
    saveAll();
    table.addBeside(entries[10]);
    assertThat(changed()).hasSize(1);
  }

  @Test
  void shouldSettleWhenAPageIsLeftAlone() {
    add(0, 4);
    assertThat(pages.settle(0, 0)).isFalse();
    assertThat(pages.settle(0, 0)).isTrue();
    add(0, 1);
    assertThat(pages.settle(0, 0)).isFalse();
    pages.saved(0, 0);
    assertThat(pages.settle(0, 0)).isFalse();
  }

  @Test
  void shouldLookAtWhatWasRestoredWithoutBeingAsked() {
    long[] entries = add(0, 8);
    table.wakeAt(entries[0], 1_000);
    try (FlowTable again = restored(100)) {
      List<Long> seen = new ArrayList<>();
      again.wake(
          10,
          entry -> {
            seen.add(entry);
            return 20;
          });
      assertThat(seen).hasSize(8);
      again.wake(19, _ -> FlowWaking.REMOVE);
      assertThat(again.flows()).isEqualTo(8);
      again.wake(20, _ -> FlowWaking.REMOVE);
      assertThat(again.flows()).isZero();
    }
  }

  private FlowTable restored(int mostFlows) {
    FlowTable again = new FlowTable(new FlowTableSize(STATE_BYTES, mostFlows), 0, 1, 1);
    FlowTablePages pagesAgain = new FlowTablePages(again);
    FlowTableSize size = new FlowTableSize(STATE_BYTES, mostFlows);
    List<SavedFlows> saved =
        IntStream.range(0, pages.pageNumbers(0))
            .mapToObj(number -> new SavedFlows(number, size, true, () -> content(number)))
            .toList();
    try {
      pagesAgain.restore(0, saved);
    } catch (IllegalStateException e) {
      again.close();
      throw e;
    }
    return again;
  }

  private MemorySegment content(int number) {
    byte[] packed = new byte[PackedPage.mostBytes(pages.contentBytes())];
    byte[] content = new byte[pages.contentBytes()];
    int length = pages.packPage(0, number, packed, 0);
    assertThat(PackedPage.unpack(packed, 0, length, content)).isTrue();
    return MemorySegment.ofArray(content);
  }

  @Test
  void shouldSayWhenMoreWasSavedThanThereIsRoomFor() {
    final long[] entries = add(0, 100);
    assertThat(table.flows()).isEqualTo(100);
    assertThatThrownBy(() -> restored(97).close())
        .isInstanceOf(IllegalStateException.class)
        .hasMessage(
            "no room for the flows that were saved, there is room for 97 in memory and 0 in state: allow more");
    for (int i = 0; i < entries.length; i++) {
      if (i % 4 != 0) {
        table.remove(entries[i]);
      }
    }
    assertThatThrownBy(() -> restored(30).close())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("room for 30 in memory");
  }
}
