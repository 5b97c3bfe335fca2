// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.flows;

import java.lang.foreign.MemorySegment;
import java.util.Collection;
import java.util.function.LongConsumer;

/**
 * Puts the saved pages of one key group back into a table.
 *
 * <p>No page may leave memory on which a flow has one of several entries, see {@link FlowEviction}.
 * While only some pages are here, such an entry looks like the only one of its flow. So the pages
 * of all other flows come first, and may leave again; those with one of several entries come last,
 * and are held until all are here. They find room, because they all were in memory when they were
 * saved.
 */
final class GroupRestoration {
  private static final int MOST_PAGES = (int) (FlowIndex.MOST_BYTES / FlowPages.STRIDE_BYTES);

  private final FlowTable table;
  private final FlowPages pages;
  private final FlowEviction eviction;
  private final int group;
  private final RepeatedHashes ofSeveral = new RepeatedHashes();

  GroupRestoration(FlowTable table, int group) {
    this.table = table;
    pages = table.pages;
    eviction = table.eviction;
    this.group = group;
  }

  void restore(Collection<SavedFlows> saved) {
    for (SavedFlows page : saved) {
      require(page.number(), page.number() >= 0 && page.number() < MOST_PAGES);
      MemorySegment content = page.content().get();
      forEachIn(content, page.size(), at -> ofSeveral.add(FlowEntry.hash(content, at)));
    }
    ofSeveral.close();
    saved.forEach(page -> restore(page, false));
    saved.forEach(page -> restore(page, true));
    eviction.holdNone();
  }

  private static void require(int number, boolean isPossible) {
    if (!isPossible) {
      throw new IllegalStateException("page " + number + " of the saved flows: damaged state");
    }
  }

  private static void forEachIn(MemorySegment content, FlowTableSize size, LongConsumer action) {
    for (long at = 0; at < size.contentBytes(); at += size.entryBytes()) {
      if (FlowEntry.isHere(content, at)) {
        action.accept(at);
      }
    }
  }

  private void restore(SavedFlows saved, boolean flowsOfSeveral) {
    MemorySegment content = saved.content().get();
    if (saved.size().stateBytes() != pages.stateBytes()) {
      forEachIn(
          content,
          saved.size(),
          at -> {
            if (isOfSeveral(content, at) == flowsOfSeveral) {
              restoreFlow(content, at, saved.size(), flowsOfSeveral);
            }
          });
    } else if (hasOfSeveral(content, saved.size()) == flowsOfSeveral) {
      restorePage(saved, content, flowsOfSeveral);
    }
  }

  private boolean isOfSeveral(MemorySegment content, long at) {
    return ofSeveral.contains(FlowEntry.hash(content, at));
  }

  private boolean hasOfSeveral(MemorySegment content, FlowTableSize size) {
    boolean[] found = new boolean[1];
    forEachIn(content, size, at -> found[0] |= isOfSeveral(content, at));
    return found[0];
  }

  private void restorePage(SavedFlows saved, MemorySegment content, boolean isHeld) {
    require(saved.number(), pages.numbers(group).page(saved.number()) == FlowPages.NO_PAGE);
    boolean stays = eviction.makeRoomToRestore(pages.flowsIn(content));
    int page = pages.restore(group, saved.number(), content);
    pages.forEachOn(page, table::index);
    if (isHeld) {
      eviction.hold(page);
    }
    if (saved.isSaved()) {
      eviction.isSaved(page);
    } else {
      pages.change[page] = pages.use();
    }
    if (!stays) {
      eviction.leaveRestored(page);
    }
  }

  /** What entries here have less is cut off, what they have more is zeros. */
  private void restoreFlow(MemorySegment content, long at, FlowTableSize size, boolean isHeld) {
    long entry = pages.allocate(group);
    if (entry == FlowTable.NO_ROOM) {
      entry = eviction.makeRoomToRestore(1) ? pages.allocate(group) : FlowTable.NO_ROOM;
    }
    if (entry == FlowTable.NO_ROOM) {
      throw eviction.tooMany();
    }
    int bytes = FlowEntry.KEY_BYTES + Math.min(size.stateBytes(), pages.stateBytes());
    MemorySegment.copy(content, at, pages.segment, entry, bytes);
    table.index(entry);
    table.wakeAt(entry, Long.MIN_VALUE);
    if (isHeld) {
      eviction.hold(FlowPages.pageOf(entry));
    }
  }
}
