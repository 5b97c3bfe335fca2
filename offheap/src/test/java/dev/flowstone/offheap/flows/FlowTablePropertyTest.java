// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.flows;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.model.FlowTuple;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** The table against a map: a count for each flow, whatever is added, removed and restored. */
class FlowTablePropertyTest {
  private static final int KEY_GROUPS = 8;
  private static final int FLOWS = 600;
  private static final int STEPS = 40;
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;

  private final Map<FlowTuple, Long> expected = new HashMap<>();
  private FlowTable table;
  private FlowTablePages pages;

  @SuppressWarnings("ArrayRecordComponent")
  private record SavedPage(int group, int number, byte[] content) {}

  @Property(tries = 40)
  void shouldKeepWhatAMapKeeps(@ForAll Random random) {
    expected.clear();
    int stateBytes = 8 * (1 + random.nextInt(40));
    begin(stateBytes);
    for (int step = 0; step < STEPS; step++) {
      switch (random.nextInt(6)) {
        case 0 -> remove(random.nextInt(3));
        case 1 -> restoreElsewhere(random, stateBytes);
        default -> count(random);
      }
      Map<FlowTuple, Long> content = content();
      // AssertJ is only for the message: it would take most of the test's time.
      if (!content.equals(expected)) {
        assertThat(content).isEqualTo(expected);
      }
      assertThat(table.flows()).isEqualTo(expected.size());
    }
    remove(-1);
    assertThat(table.usedBytes()).isZero();
    table.close();
  }

  private void begin(int stateBytes) {
    table = new FlowTable(new FlowTableSize(stateBytes, FLOWS), 0, KEY_GROUPS, KEY_GROUPS);
    pages = new FlowTablePages(table);
  }

  /** Of both versions of IP, so that tuples differ in the mark alone. */
  private static FlowTuple flow(int number) {
    FlowTuple ipv4 = FlowTuple.ipv4(number >>> 2, 9, number & 2, 443, 6);
    return (number & 1) == 0
        ? ipv4
        : new FlowTuple(
            ipv4.sourceHigh(),
            ipv4.sourceLow(),
            ipv4.destinationHigh(),
            ipv4.destinationLow(),
            ipv4.sourcePort(),
            ipv4.destinationPort(),
            ipv4.protocol(),
            false);
  }

  private void count(Random random) {
    List<FlowTuple> flows = new ArrayList<>();
    int range = 1 + random.nextInt(FLOWS);
    for (int i = random.nextInt(200); i >= 0; i--) {
      flows.add(flow(random.nextInt(range)));
    }
    FlowRecords packets = FlowRecords.of(flows);
    long[] entries = new long[flows.size()];
    assertThat(table.findOrAdd(packets.records(), packets.at(), flows.size(), entries)).isZero();
    for (int i = 0; i < entries.length; i++) {
      long count = entries[i] + FlowEntry.KEY_BYTES;
      table.memory().set(LONG, count, table.memory().get(LONG, count) + 1);
      expected.merge(flows.get(i), 1L, Long::sum);
    }
  }

  /** Removes flows whose count has a residue; all for less than zero. */
  private void remove(int residue) {
    table.forEach(entry -> table.wakeAt(entry, 0));
    table.wake(0, entry -> residue < 0 || countOf(entry) % 3 == residue ? FlowWaking.REMOVE : 1);
    expected.values().removeIf(count -> residue < 0 || count % 3 == residue);
  }

  private long countOf(long entry) {
    return table.memory().get(LONG, entry + FlowEntry.KEY_BYTES);
  }

  private Map<FlowTuple, Long> content() {
    Map<FlowTuple, Long> content = new HashMap<>();
    table.forEach(
        entry -> {
          FlowTuple flow = FlowEntry.tuple(table.memory(), entry);
          if (content.put(flow, countOf(entry)) != null) {
            throw new AssertionError(flow + " has two entries");
          }
        });
    return content;
  }

  private void restoreElsewhere(Random random, int stateBytes) {
    List<SavedPage> saved = new ArrayList<>();
    for (int group = 0; group < pages.groups(); group++) {
      for (int number = 0; number < pages.pageNumbers(group); number++) {
        if (pages.hasPage(group, number)) {
          byte[] packed = new byte[PackedPage.mostBytes(pages.contentBytes())];
          byte[] content = new byte[pages.contentBytes()];
          int length = pages.packPage(group, number, packed, 0);
          assertThat(PackedPage.unpack(packed, 0, length, content)).isTrue();
          saved.add(new SavedPage(group, number, content));
        }
      }
    }
    table.close();
    begin(stateBytes);
    Collections.shuffle(saved, random);
    FlowTableSize size = new FlowTableSize(stateBytes, FLOWS);
    for (int group = 0; group < pages.groups(); group++) {
      pages.restore(group, ofGroup(group, saved, size));
    }
    for (SavedPage page : saved) {
      assertThat(pages.isChanged(page.group(), page.number())).isFalse();
    }
  }

  private static List<SavedFlows> ofGroup(int group, List<SavedPage> saved, FlowTableSize size) {
    return saved.stream()
        .filter(page -> page.group() == group)
        .map(
            page ->
                new SavedFlows(
                    page.number(), size, true, () -> MemorySegment.ofArray(page.content())))
        .toList();
  }
}
