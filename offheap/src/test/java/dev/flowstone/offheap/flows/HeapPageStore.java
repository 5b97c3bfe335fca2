// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.flows;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What state is to a table. */
final class HeapPageStore implements FlowPageStore {
  /** As they were saved last, packed, by {@link #name}. */
  final Map<Long, byte[]> saved = new TreeMap<>();

  /** How often a page may be saved while a block is looked up. */
  int saves;

  private FlowTablePages pages;
  private FlowTableSize size;

  static long name(int group, int number) {
    return (long) group << Integer.SIZE | number;
  }

  /** Pages of this table leave for here from now on. */
  void evict(FlowTablePages of, FlowTableSize ofSize) {
    pages = of;
    size = ofSize;
    pages.evictTo(this);
  }

  @Override
  public void read(int group, int number, byte[] content) {
    assertThat(unpack(saved.get(name(group, number)), content)).isTrue();
  }

  private static boolean unpack(byte[] packed, byte[] content) {
    return PackedPage.unpack(packed, 0, packed.length, content);
  }

  @Override
  public void save(int group, int number) {
    saved.put(name(group, number), packed(group, number));
    pages.saved(group, number);
  }

  @Override
  public boolean hasTimeToSave() {
    return saves-- > 0;
  }

  byte[] packed(int group, int number) {
    byte[] packed = new byte[PackedPage.mostBytes(pages.contentBytes())];
    return Arrays.copyOf(packed, pages.packPage(group, number, packed, 0));
  }

  /** Puts pages back, each group's changed pages first, as state does. */
  void restore(Map<Long, byte[]> changed, Map<Long, byte[]> unchanged) {
    restore(changed, unchanged, size);
  }

  /** The same, of entries that had this size. */
  void restore(Map<Long, byte[]> changed, Map<Long, byte[]> unchanged, FlowTableSize former) {
    for (int group = 0; group < pages.groups(); group++) {
      List<SavedFlows> flows = new ArrayList<>();
      addOf(group, changed, former, false, flows);
      addOf(group, unchanged, former, true, flows);
      pages.restore(group, flows);
    }
  }

  private static void addOf(
      int group,
      Map<Long, byte[]> those,
      FlowTableSize size,
      boolean isSaved,
      List<SavedFlows> flows) {
    those.forEach(
        (name, packed) -> {
          if (groupOf(name) == group) {
            flows.add(new SavedFlows(numberOf(name), size, isSaved, () -> content(packed, size)));
          }
        });
  }

  private static MemorySegment content(byte[] packed, FlowTableSize size) {
    byte[] content = new byte[size.contentBytes()];
    assertThat(unpack(packed, content)).isTrue();
    return MemorySegment.ofArray(content);
  }

  static int groupOf(long name) {
    return (int) (name >> Integer.SIZE);
  }

  static int numberOf(long name) {
    return (int) name;
  }
}
