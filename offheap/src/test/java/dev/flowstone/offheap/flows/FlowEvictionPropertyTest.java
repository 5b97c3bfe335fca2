// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.flows;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.model.FlowTuple;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.statistics.Statistics;
import org.assertj.core.api.Assertions;

/**
 * A table with far more flows than memory against a map: counts of each flow's entries, whatever is
 * added, saved, woken, removed and restored with another memory.
 */
class FlowEvictionPropertyTest {
  private static final int KEY_GROUPS = 4;
  private static final int EVICTED = 2_000;
  private static final int FLOWS = 1_200;
  private static final int STEPS = 80;

  /** So few that the pages with their entries, which stay in memory, are not all of it. */
  private static final int FEW = 3;

  private static final int MANY = 100;

  private static final int MOST_ENTRIES = 3;
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;

  /** Of each flow the counts of its entries, sorted. */
  private final Map<FlowTuple, List<Long>> expected = new HashMap<>();

  private HeapPageStore store;
  private FlowTable table;
  private FlowTablePages pages;

  /** Flows below have several entries. */
  private int flowsOfSeveral;

  private int memoryFlows;
  private long nowNs;
  private long evicted;
  private long broughtBack;

  @Property(tries = 60)
  void shouldKeepWhatAMapKeeps(@ForAll Random random) {
    flowsOfSeveral = FEW;
    memoryFlows = 0;
    keepWhatAMapKeeps(random);
    mostly("pages left memory", evicted > 20);
    mostly("pages came back", broughtBack > 10);
  }

  /** Restored with the same memory: what could not leave finds room again, whatever comes first. */
  @Property(tries = 40)
  void shouldRestoreWhereMostPagesMayNotLeave(@ForAll Random random) {
    flowsOfSeveral = MANY;
    memoryFlows = 250;
    keepWhatAMapKeeps(random);
  }

  /** What comes back for a packet is not looked at before its time. */
  @Example
  void shouldKeepTheTimeAtWhichAPageWakes() {
    flowsOfSeveral = FEW;
    memoryFlows = 250;
    expected.clear();
    store = new HeapPageStore();
    begin(160, new Random(1));
    long[] entries = FlowTableTest.add(table, 0, 250);
    for (long entry : entries) {
      table.wakeAt(entry, 1_000);
    }
    save(() -> true);
    FlowTableTest.add(table, 250, 400);
    assertThat(table.evictedFlows()).isGreaterThan(100);
    store.saves = 100;
    FlowTableTest.add(table, 0, 100);
    assertThat(table.pagesBroughtBack()).isPositive();
    table.wake(999, _ -> Assertions.fail("too early"));
    table.wake(1_000, _ -> FlowWaking.REMOVE);
    assertThat(table.flows()).isBetween(1L, 150L);
    end();
  }

  private void keepWhatAMapKeeps(Random random) {
    expected.clear();
    store = new HeapPageStore();
    evicted = 0;
    broughtBack = 0;
    int stateBytes = 8 * (20 + random.nextInt(100));
    begin(stateBytes, random);
    for (int step = 0; step < STEPS; step++) {
      switch (random.nextInt(16)) {
        case 0 -> wake(random.nextInt(3));
        case 1 -> restoreElsewhere(random, stateBytes);
        case 2, 3, 4, 5, 6, 7 -> save(() -> random.nextInt(3) > 0);
        default -> count(random);
      }
      if (random.nextInt(3) == 0) {
        assertExpected(content());
      }
      assertThat(table.flows()).isEqualTo(expected.values().stream().mapToInt(List::size).sum());
    }
    assertExpected(content());
    end();
  }

  private static void mostly(String what, boolean happened) {
    Statistics.label(what)
        .collect(happened)
        .coverage(coverage -> coverage.check(true).percentage(percentage -> percentage > 50));
  }

  private void begin(int stateBytes, Random random) {
    int mostFlows = memoryFlows > 0 ? memoryFlows : 250 + random.nextInt(100);
    FlowTableSize size = new FlowTableSize(stateBytes, mostFlows, EVICTED);
    table = new FlowTable(size, 0, KEY_GROUPS, KEY_GROUPS);
    pages = new FlowTablePages(table);
    store.evict(pages, size);
    nowNs = 0;
  }

  private void end() {
    evicted += table.pagesEvicted();
    broughtBack += table.pagesBroughtBack();
    table.close();
  }

  private void count(Random random) {
    List<FlowTuple> flows = new ArrayList<>();
    int from = random.nextInt(FLOWS);
    int range = 1 + random.nextInt(FLOWS - from);
    for (int i = random.nextInt(150); i >= 0; i--) {
      flows.add(FlowTuple.ipv4(from + random.nextInt(range), 9, 1, 443, 6));
    }
    FlowRecords packets = FlowRecords.of(flows);
    long[] entries = new long[flows.size()];
    store.saves = random.nextInt(4) * random.nextInt(30);
    table.findOrAdd(packets.records(), packets.at(), flows.size(), entries);
    int withoutRoom = -1;
    for (int i = 0; i < entries.length; i++) {
      if (entries[i] == FlowTable.NO_ROOM) {
        boolean isKnown = expected.containsKey(flows.get(i));
        assertThat(isKnown && flows.size() < 5 && flowsOfSeveral == FEW).isFalse();
        withoutRoom = i;
      } else {
        countOne(flows.get(i), entries[i], random);
      }
    }
    if (withoutRoom >= 0 && flowsOfSeveral == FEW && random.nextInt(4) == 0) {
      countOneOnceAllIsSaved(flows.get(withoutRoom), random);
    }
  }

  /** What is saved makes room. */
  private void countOneOnceAllIsSaved(FlowTuple flow, Random random) {
    save(() -> true);
    FlowRecords packet = FlowRecords.of(List.of(flow));
    long[] entry = new long[1];
    assertThat(table.findOrAdd(packet.records(), packet.at(), 1, entry)).isZero();
    countOne(flow, entry[0], random);
  }

  /** Counts in one of the flow's entries, perhaps in a new one. */
  private void countOne(FlowTuple flow, long first, Random random) {
    List<Long> counts = expected.computeIfAbsent(flow, _ -> new ArrayList<>(List.of(0L)));
    table.wakeAt(first, 0);
    if (entriesOf(first) != counts.size()) {
      assertThat(entriesOf(first)).isEqualTo(counts.size());
    }
    long entry = first;
    for (int i = random.nextInt(MOST_ENTRIES); i > 0 && mayHaveSeveral(flow); i--) {
      long next = table.nextOf(entry);
      if (next == FlowTable.NONE && table.addBeside(first) != FlowTable.NO_ROOM) {
        counts.addFirst(0L);
        next = table.nextOf(entry);
        table.wakeAt(next, 0);
      }
      entry = next == FlowTable.NONE ? entry : next;
    }
    // Entries of several may change places when they are restored: the order is the table's.
    long count = entry + FlowEntry.KEY_BYTES;
    long before = table.memory().get(LONG, count);
    int index = counts.indexOf(before);
    if (index < 0) {
      assertThat(counts).contains(before);
    }
    table.memory().set(LONG, count, before + 1);
    counts.set(index, before + 1);
    Collections.sort(counts);
    table.touch(entry);
    table.wakeAt(entry, 0);
  }

  private int entriesOf(long first) {
    int entries = 0;
    for (long entry = first; entry != FlowTable.NONE; entry = table.nextOf(entry)) {
      entries++;
    }
    return entries;
  }

  private boolean mayHaveSeveral(FlowTuple flow) {
    return (flow.sourceLow() & 0xffff) < flowsOfSeveral;
  }

  private void save(BooleanSupplier chosen) {
    for (int group = 0; group < pages.groups(); group++) {
      for (int number = 0; number < pages.pageNumbers(group); number++) {
        if (pages.hasPage(group, number)
            && pages.isChanged(group, number)
            && chosen.getAsBoolean()) {
          store.save(group, number);
        }
      }
    }
  }

  /** Adds to those whose count has a residue, and removes some of them. */
  private void wake(int residue) {
    nowNs++;
    Map<FlowTuple, List<Long>> left = new HashMap<>();
    table.wake(
        nowNs,
        entry -> {
          long count = countOf(entry);
          if (count % 5 == residue) {
            return FlowWaking.REMOVE;
          }
          if (count % 3 == residue) {
            table.memory().set(LONG, entry + FlowEntry.KEY_BYTES, count + 1);
            table.touch(entry);
          }
          note(left, entry);
          return nowNs + 1;
        });
    expected.values().forEach(counts -> counts.removeIf(count -> count % 5 == residue));
    expected
        .values()
        .forEach(counts -> counts.replaceAll(each -> each % 3 == residue ? each + 1 : each));
    expected.values().forEach(Collections::sort);
    expected.values().removeIf(List::isEmpty);
    left.values().forEach(Collections::sort);
    assertExpected(left);
  }

  private void assertExpected(Map<FlowTuple, List<Long>> content) {
    // AssertJ is only for the message: it would take most of the test's time.
    if (!content.equals(expected)) {
      assertThat(content).isEqualTo(expected);
    }
  }

  private void note(Map<FlowTuple, List<Long>> content, long entry) {
    content
        .computeIfAbsent(FlowEntry.tuple(table.memory(), entry), _ -> new ArrayList<>())
        .add(countOf(entry));
  }

  private long countOf(long entry) {
    return table.memory().get(LONG, entry + FlowEntry.KEY_BYTES);
  }

  /** Of all flows, wherever they are. */
  private Map<FlowTuple, List<Long>> content() {
    nowNs++;
    Map<FlowTuple, List<Long>> content = new HashMap<>();
    table.wake(
        nowNs,
        entry -> {
          note(content, entry);
          return nowNs + 1;
        });
    content.values().forEach(Collections::sort);
    return content;
  }

  /** Where there may be less memory: changed pages first, as from a checkpoint's stream. */
  private void restoreElsewhere(Random random, int stateBytes) {
    Map<Long, byte[]> changed = new TreeMap<>();
    for (int group = 0; group < pages.groups(); group++) {
      for (int number = 0; number < pages.pageNumbers(group); number++) {
        long name = HeapPageStore.name(group, number);
        if (pages.isChanged(group, number)) {
          store.saved.remove(name);
          if (pages.hasPage(group, number)) {
            changed.put(name, store.packed(group, number));
          }
        }
      }
    }
    Map<Long, byte[]> unchanged = new TreeMap<>(store.saved);
    end();
    begin(stateBytes, random);
    store.restore(changed, unchanged);
  }
}
