// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.flows;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.ValueLayout;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Bounds of what leaves memory, and memory that nothing may leave; four entries on a page. */
class FlowEvictionTest {
  private static final int STATE_BYTES = 1_024 - FlowEntry.KEY_BYTES;
  private static final int PER_PAGE = 4;

  /** Of memory: two pages. */
  private static final int FLOWS = 2 * PER_PAGE;

  private final HeapPageStore store = new HeapPageStore();
  private FlowTable table;
  private FlowTablePages pages;

  @AfterEach
  void end() {
    table.close();
  }

  private void begin(int mostFlows, int mostEvictedFlows) {
    if (table != null) {
      table.close();
    }
    begin(new FlowTableSize(STATE_BYTES, mostFlows, mostEvictedFlows));
  }

  private void begin(FlowTableSize size) {
    table = new FlowTable(size, 0, 1, 1);
    pages = new FlowTablePages(table);
    store.evict(pages, size);
  }

  private void saveAll() {
    for (int number = 0; number < pages.pageNumbers(0); number++) {
      if (pages.hasPage(0, number) && pages.isChanged(0, number)) {
        store.save(0, number);
      }
    }
  }

  /** Each has its number as its state. */
  private void addAndSave(int from, int to) {
    long[] entries = add(from, to);
    for (int i = 0; i < entries.length; i++) {
      table.wakeAt(entries[i], 0);
      table.memory().set(ValueLayout.JAVA_INT, entries[i] + FlowEntry.KEY_BYTES, from + i);
    }
    saveAll();
  }

  private long[] add(int from, int to) {
    return FlowTableTest.add(table, from, to);
  }

  private void assertHasItsState(int flow) {
    assertThat(stateOf(add(flow, flow + 1)[0])).isEqualTo(flow);
  }

  private int stateOf(long entry) {
    return table.memory().get(ValueLayout.JAVA_INT, entry + FlowEntry.KEY_BYTES);
  }

  @Test
  void shouldHaveNoMoreFlowsThanThereMayBe() {
    begin(FLOWS, 10);
    addAndSave(0, 8);
    addAndSave(8, 16);
    addAndSave(16, 18);
    assertThat(add(18, 20)).containsOnly(FlowTable.NO_ROOM);
    assertThat(table.flows()).isEqualTo(18);
    assertThat(table.evictedFlows()).isEqualTo(12);
  }

  /** A flow that is known comes back, though one page more must be away for a moment. */
  @Test
  void shouldBringAFlowBackWhenAsManyPagesAreAwayAsMayBe() {
    begin(FLOWS, 2);
    addAndSave(0, 8);
    addAndSave(8, 10);
    keepOfItsPage(0);
    addAndSave(10, 13);
    keepOfItsPage(4);
    addAndSave(13, 16);
    assertThat(table.evictedFlows()).isEqualTo(2);
    assertThat(table.flows()).isEqualTo(10);
    assertHasItsState(0);
    saveAll();
    assertHasItsState(4);
    assertThat(table.flows()).isEqualTo(10);
  }

  /** The others of its page leave, which is not in memory. */
  private void keepOfItsPage(int flow) {
    long before = table.evictedFlows();
    table.wake(
        0,
        entry -> {
          int state = stateOf(entry);
          return state > flow && state < flow + PER_PAGE ? FlowWaking.REMOVE : 0;
        });
    assertThat(table.evictedFlows()).isEqualTo(before - PER_PAGE + 1);
  }

  /** Pages of flows with several entries stay, and take all memory when they are restored first. */
  @Test
  void shouldRestoreWhatHasLeftBesideMemoryThatNothingMayLeave() {
    begin(FLOWS, 100);
    addAndSave(0, 8);
    for (long entry : add(4, 8)) {
      assertThat(table.addBeside(entry)).isNotEqualTo(FlowTable.NO_ROOM);
    }
    assertThat(table.evictedFlows()).isEqualTo(4);
    Map<Long, byte[]> several = new TreeMap<>();
    for (int number = 0; number < pages.pageNumbers(0); number++) {
      if (pages.hasPage(0, number)) {
        several.put(HeapPageStore.name(0, number), store.packed(0, number));
        store.saved.remove(HeapPageStore.name(0, number));
      }
    }
    assertThat(several).hasSize(2);
    begin(FLOWS, 100);
    store.restore(several, Map.copyOf(store.saved));
    assertThat(table.flows()).isEqualTo(12);
    assertThat(table.evictedFlows()).isEqualTo(4);
    assertThat(add(0, 4)).containsOnly(FlowTable.NO_ROOM);
    for (long entry : add(4, 8)) {
      table.remove(table.nextOf(entry));
    }
    for (int flow = 0; flow < 8; flow++) {
      assertHasItsState(flow);
    }
  }

  /** Whoever has the first of a flow's entries would not find those that left. */
  @Test
  void shouldNotLetAPageLeaveThatWasRestoredWithOneOfSeveralEntries() {
    begin(3 * PER_PAGE, 0);
    for (long entry : add(0, 6)) {
      assertThat(table.addBeside(entry)).isNotEqualTo(FlowTable.NO_ROOM);
    }
    saveAll();
    begin(FLOWS, 100);
    assertThatThrownBy(() -> store.restore(Map.of(), Map.copyOf(store.saved)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("there is room for 8 in memory and 100 in state: allow more");
  }

  /** While the others are not there yet, an entry looks as if its flow had no other. */
  @Test
  void shouldRestoreAllEntriesOfAFlowToMemory() {
    restoreFlowsOfTwoEntries(List.of(), List.of(1, 0, 2));
    restoreFlowsOfTwoEntries(List.of(0), List.of(1, 2));
  }

  /** Page 0 has flows of one entry, and leaves memory. Pages 1 and 2 have those of two. */
  private void restoreFlowsOfTwoEntries(List<Integer> changed, List<Integer> unchanged) {
    begin(FLOWS, 100);
    addAndSave(0, 8);
    for (long entry : add(4, 8)) {
      table.addBeside(entry);
    }
    saveAll();
    Map<Long, byte[]> pagesChanged = savedPages(changed);
    Map<Long, byte[]> pagesUnchanged = savedPages(unchanged);
    begin(FLOWS, 100);
    store.restore(pagesChanged, pagesUnchanged);
    assertThat(table.evictedFlows()).isEqualTo(4);
    for (long entry : add(4, 8)) {
      assertThat(table.nextOf(entry)).isNotNegative();
    }
    assertThat(table.pagesBroughtBack()).isZero();
  }

  private Map<Long, byte[]> savedPages(List<Integer> numbers) {
    Map<Long, byte[]> saved = new LinkedHashMap<>();
    for (int number : numbers) {
      saved.put(HeapPageStore.name(0, number), store.saved.get(HeapPageStore.name(0, number)));
    }
    return saved;
  }

  @Test
  void shouldSayWhenWhatWasSavedMayNeitherStayNorLeave() {
    begin(FLOWS, 100);
    addAndSave(0, 8);
    addAndSave(8, 12);
    begin(FLOWS, 3);
    assertThatThrownBy(() -> store.restore(Map.of(), Map.copyOf(store.saved)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("there is room for 8 in memory and 3 in state: allow more");
  }

  /** Flows of another size are put one by one, wherever there is room. */
  @Test
  void shouldRestoreEntriesOfAnotherSizeToLessMemory() {
    begin(40, 0);
    addAndSave(0, 40);
    Map<Long, byte[]> saved = new TreeMap<>(store.saved);
    store.saved.clear();
    FlowTableSize former = new FlowTableSize(STATE_BYTES, 40);
    table.close();
    begin(new FlowTableSize(STATE_BYTES + 340, FLOWS, 100));
    store.restore(Map.of(), saved, former);
    assertThat(table.flows()).isEqualTo(40);
    assertThat(table.evictedFlows()).isGreaterThanOrEqualTo(32);
    for (int flow = 0; flow < 40; flow++) {
      assertHasItsState(flow);
    }
  }

  /** Times of use begin again where they end. */
  @Test
  void shouldKnowWhatChangedAfterAllTimesOfUse() {
    begin(FLOWS, 0);
    add(0, 4);
    for (int i = 0; i < Integer.MAX_VALUE - 1; i++) {
      table.pages.nextUse();
    }
    add(4, 8);
    assertThat(table.pages.isUsedNow(0)).isFalse();
    assertThat(pages.settle(0, 1)).isFalse();
    assertThat(pages.settle(0, 1)).isTrue();
    assertThat(pages.isChanged(0, 0)).isTrue();
    saveAll();
    assertThat(pages.isChanged(0, 0)).isFalse();
  }
}
