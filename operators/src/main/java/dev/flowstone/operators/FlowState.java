// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators;

import dev.flowstone.connector.fpga.operators.KeyGroupState;
import dev.flowstone.offheap.flows.FlowTablePages;
import dev.flowstone.offheap.flows.FlowTableSize;
import dev.flowstone.offheap.flows.PackedPage;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.core.memory.DataOutputView;

/**
 * Keeps a {@link dev.flowstone.offheap.flows.FlowTable} in Flink's state, by key group: whoever has
 * a group later, in however many subtasks, gets its pages. Only what changed is written, in two
 * ways:
 *
 * <ul>
 *   <li>A page that was left alone for a while goes to keyed state, a map of pages under one key of
 *       the group; a few at a time, so that nobody waits. There it stays, in incremental
 *       checkpoints, until it changes.
 *   <li>What changed since goes to the checkpoint's own stream, page after page. Keyed state would
 *       be written to disk before packets go on: with RocksDB that takes ten times as long.
 * </ul>
 *
 * <p>A page that is in both was changed after it went to keyed state. One thread.
 */
final class FlowState {
  /** At once: a block or a watermark waits. So many puts come only after a quiet moment. */
  private static final int MOST_LOOKS = 1 << 14;

  private static final int MOST_PUTS = 256;

  /** No more than one in so long, however many blocks come: what is held back takes a second. */
  private static final long NS_PER_PUT = 500_000;

  /** RocksDB writes what it holds back to disk when a checkpoint begins, while packets wait. */
  static final long MOST_BYTES_HELD_BACK = 8 << 20;

  /** Parts of the time between checkpoints after which a page counts as left alone. */
  private static final int ROUNDS_PER_CHECKPOINT = 4;

  private static final long FIRST_ROUND_NS = 2_500_000_000L;

  /** However soon checkpoints follow one another, a page in use does not count as left alone. */
  private static final long SHORTEST_ROUND_NS = 100_000_000;

  private final FlowTablePages pages;
  private final FlowPageHeader header;
  private final int stateBytes;

  /** Packed, on its way. */
  private final byte[] page;

  private final int[] keys;
  private final int firstKeyGroup;
  private final Consumer<Object> currentKey;
  private final MapState<Integer, byte[]> cold;

  /** Of each group the pages that were restored, by the numbers that they were saved under. */
  private final BitSet[] restored;

  /** Of each group the pages that went to keyed state since the last checkpoint: once is enough. */
  private final BitSet[] put;

  private long heldBackBytes;
  private long writtenBytes;

  private int group;
  private int number;
  private long roundNs = FIRST_ROUND_NS;
  private long roundBeganNs;
  private long checkpointNs;
  private long putNs;
  private int waitingInRound;
  private int waiting;

  /**
   * State of one subtask.
   *
   * @param keyGroups those of the table
   * @param currentKey chooses the key that state is read and written of
   * @param nowNs of {@link System#nanoTime}
   */
  FlowState(
      FlowTablePages pages,
      FlowStateFormat format,
      KeyGroupState keyGroups,
      Consumer<Object> currentKey,
      MapState<Integer, byte[]> cold,
      long nowNs) {
    this.pages = pages;
    keys = keyGroups.someKeys();
    firstKeyGroup = keyGroups.mine().getStartKeyGroup();
    this.currentKey = currentKey;
    this.cold = cold;
    stateBytes = format.stateBytes();
    header = new FlowPageHeader(format, pages.contentBytes());
    page = new byte[PackedPage.mostBytes(pages.contentBytes())];
    restored = bitSets(keys.length);
    put = bitSets(keys.length);
    roundBeganNs = nowNs;
    checkpointNs = nowNs;
    putNs = nowNs;
  }

  private static BitSet[] bitSets(int count) {
    BitSet[] sets = new BitSet[count];
    Arrays.setAll(sets, _ -> new BitSet());
    return sets;
  }

  static MapStateDescriptor<Integer, byte[]> descriptor() {
    return new MapStateDescriptor<>(
        "flow-pages", Types.INT, PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO);
  }

  /** All bytes that were given to Flink, in either way. */
  long writtenBytes() {
    return writtenBytes;
  }

  /** Pages that the last round found left alone, but for which keyed state had no room yet. */
  int pagesWaiting() {
    return waiting;
  }

  /** Reads a group's changed pages, which {@link #writeChanges} wrote; before {@link #restore}. */
  void restoreChanges(int ofGroup, InputStream stream) throws IOException {
    DataInputStream in = new DataInputStream(stream);
    try {
      byte[] found = header.before(0);
      in.readFully(found);
      restorePages(ofGroup, new FlowTableSize(header.stateBytesOf(found), 1), in);
    } catch (EOFException e) {
      throw damaged(ofGroup, "they end too soon", e);
    }
  }

  private void restorePages(int ofGroup, FlowTableSize saved, DataInputStream in)
      throws IOException {
    int count = in.readInt();
    if (count < 0) {
      throw damaged(ofGroup, "there are " + count + " pages", null);
    }
    byte[] packed = new byte[PackedPage.mostBytes(saved.contentBytes())];
    byte[] content = new byte[saved.contentBytes()];
    for (int i = 0; i < count; i++) {
      int pageNumber = in.readInt();
      int length = in.readInt();
      if (length < 0 || length > packed.length) {
        throw damaged(ofGroup, "page " + pageNumber + " has " + length + " bytes", null);
      }
      in.readFully(packed, 0, length);
      unpack(ofGroup, pageNumber, packed, 0, length, content);
      restorePage(ofGroup, pageNumber, saved, MemorySegment.ofArray(content));
      if (isMine(saved)) {
        pages.touch(ofGroup, pageNumber);
      }
    }
  }

  private void unpack(
      int ofGroup, int pageNumber, byte[] packed, int offset, int end, byte[] content) {
    if (!PackedPage.unpack(packed, offset, end, content)) {
      throw damaged(
          ofGroup, "page " + pageNumber + " cannot be of " + (end - offset) + " bytes", null);
    }
  }

  private void restorePage(
      int ofGroup, int pageNumber, FlowTableSize saved, MemorySegment content) {
    if (isMine(saved)) {
      pages.restorePage(ofGroup, pageNumber, content);
    } else {
      pages.restoreFlows(ofGroup, pageNumber, content, saved);
    }
    restored[ofGroup].set(pageNumber);
  }

  /** Else pages hold another number of flows, and get other numbers. */
  private boolean isMine(FlowTableSize saved) {
    return saved.stateBytes() == stateBytes;
  }

  private IllegalStateException damaged(int ofGroup, String how, EOFException cause) {
    return new IllegalStateException(
        "the state's flows of key group "
            + (firstKeyGroup + ofGroup)
            + " are damaged, "
            + how
            + ": restore from another checkpoint",
        cause);
  }

  /** Reads from keyed state what did not change since it went there. */
  void restore() throws Exception {
    for (int each = 0; each < keys.length; each++) {
      currentKey.accept(keys[each]);
      boolean allAreMine = true;
      for (Map.Entry<Integer, byte[]> saved : cold.entries()) {
        allAreMine &= restoreCold(each, saved.getKey(), saved.getValue());
      }
      if (!allAreMine) {
        cold.clear();
      }
    }
  }

  private boolean restoreCold(int ofGroup, int pageNumber, byte[] value) {
    FlowTableSize saved = new FlowTableSize(header.stateBytesOf(value), 1);
    byte[] content = new byte[saved.contentBytes()];
    unpack(ofGroup, pageNumber, value, header.sizeBytes(), value.length, content);
    if (!restored[ofGroup].get(pageNumber)) {
      restorePage(ofGroup, pageNumber, saved, MemorySegment.ofArray(content));
    }
    return isMine(saved);
  }

  /**
   * Puts some pages that were left alone into keyed state: as many as the time since the last call
   * allows. Each round looks at every page once: what it finds as the last left it, it puts.
   */
  void putSome(long nowNs) throws Exception {
    putNs = Math.max(putNs, nowNs - MOST_PUTS * NS_PER_PUT);
    for (int looks = 0; looks < MOST_LOOKS && nowNs - putNs >= NS_PER_PUT; looks++) {
      if (number >= pages.pageNumbers(group)) {
        if (!nextGroup(nowNs)) {
          return;
        }
      } else {
        putIfSettled();
        number++;
      }
    }
  }

  /** False at the end of a round that took less than its time. */
  private boolean nextGroup(long nowNs) {
    if (group + 1 == keys.length && nowNs - roundBeganNs < roundNs) {
      return false;
    }
    number = 0;
    group++;
    if (group == keys.length) {
      group = 0;
      roundBeganNs = nowNs;
      waiting = waitingInRound;
      waitingInRound = 0;
    }
    return true;
  }

  private void putIfSettled() throws Exception {
    if (!pages.hasPage(group, number) || !pages.settle(group, number)) {
      return;
    }
    if (heldBackBytes >= MOST_BYTES_HELD_BACK || put[group].get(number)) {
      waitingInRound++;
      return;
    }
    int length = pages.packPage(group, number, page, 0);
    byte[] value = header.before(length);
    System.arraycopy(page, 0, value, header.sizeBytes(), length);
    currentKey.accept(keys[group]);
    cold.put(number, value);
    pages.saved(group, number);
    put[group].set(number);
    putNs += NS_PER_PUT;
    heldBackBytes += value.length;
    writtenBytes += value.length;
  }

  /** At a checkpoint, before the changes are written: pages that are no more leave keyed state. */
  void beginCheckpoint(long nowNs) throws Exception {
    for (int each = 0; each < keys.length; each++) {
      put[each].clear();
      currentKey.accept(keys[each]);
      for (int i = 0; i < pages.pageNumbers(each); i++) {
        if (!pages.hasPage(each, i) && pages.isChanged(each, i)) {
          cold.remove(i);
          pages.saved(each, i);
        }
      }
    }
    heldBackBytes = 0;
    roundNs = Math.max(SHORTEST_ROUND_NS, (nowNs - checkpointNs) / ROUNDS_PER_CHECKPOINT);
    checkpointNs = nowNs;
  }

  /** Writes a group's pages that are not in keyed state as they are now. */
  void writeChanges(int ofGroup, DataOutputView out) throws IOException {
    out.write(header.before(0));
    int count = 0;
    for (int i = 0; i < pages.pageNumbers(ofGroup); i++) {
      count += pages.isChanged(ofGroup, i) ? 1 : 0;
    }
    out.writeInt(count);
    for (int i = 0; i < pages.pageNumbers(ofGroup); i++) {
      if (pages.isChanged(ofGroup, i)) {
        int length = pages.packPage(ofGroup, i, page, 0);
        out.writeInt(i);
        out.writeInt(length);
        out.write(page, 0, length);
        writtenBytes += 2 * Integer.BYTES + length;
      }
    }
  }
}
