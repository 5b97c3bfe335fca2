// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators;

import dev.flowstone.connector.fpga.operators.KeyGroupState;
import dev.flowstone.offheap.flows.FlowPageStore;
import dev.flowstone.offheap.flows.FlowTablePages;
import dev.flowstone.offheap.flows.FlowTableSize;
import dev.flowstone.offheap.flows.PackedPage;
import dev.flowstone.offheap.flows.SavedFlows;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.util.FlinkRuntimeException;

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
 * <p>A page that is in both was changed after it went to keyed state. What is in keyed state as it
 * is may leave memory. One thread.
 */
final class FlowState implements FlowPageStore {
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
  private final Clock clock;

  /** For pages that leave memory for others and come back. */
  private final TimeShare timeToSave;

  /** Groups whose pages were restored. */
  private final BitSet restored = new BitSet();

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
   */
  FlowState(
      FlowTablePages pages,
      FlowStateFormat format,
      KeyGroupState keyGroups,
      Consumer<Object> currentKey,
      MapState<Integer, byte[]> cold,
      Clock clock) {
    this.pages = pages;
    keys = keyGroups.someKeys();
    firstKeyGroup = keyGroups.mine().getStartKeyGroup();
    this.currentKey = currentKey;
    this.cold = cold;
    stateBytes = format.stateBytes();
    header = new FlowPageHeader(format, pages.contentBytes());
    page = new byte[PackedPage.mostBytes(pages.contentBytes())];
    put = new BitSet[keys.length];
    Arrays.setAll(put, _ -> new BitSet());
    this.clock = clock;
    roundBeganNs = clock.nowNs();
    checkpointNs = roundBeganNs;
    putNs = roundBeganNs;
    timeToSave = new TimeShare(roundBeganNs);
    pages.evictTo(this);
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

  /**
   * Puts a group's flows back: the changed pages that {@link #writeChanges} wrote, and from keyed
   * state what did not change since it went there.
   */
  void restore(int ofGroup, InputStream changes) throws Exception {
    List<SavedPage> saved = readChanges(ofGroup, new DataInputStream(changes));
    restored.set(ofGroup);
    BitSet changed = new BitSet();
    saved.forEach(page -> changed.set(page.number));
    restore(ofGroup, saved, changed);
  }

  /** The same, of groups that have no changed pages. */
  void restoreOthers() throws Exception {
    for (int each = restored.nextClearBit(0);
        each < keys.length;
        each = restored.nextClearBit(each + 1)) {
      restore(each, new ArrayList<>(), new BitSet());
    }
  }

  /** All are read first: pages for which there is no room go to keyed state meanwhile. */
  private void restore(int ofGroup, List<SavedPage> saved, BitSet changed) throws Exception {
    currentKey.accept(keys[ofGroup]);
    for (Map.Entry<Integer, byte[]> each : cold.entries()) {
      if (!changed.get(each.getKey())) {
        saved.add(new SavedPage(each.getKey(), each.getValue(), header));
      }
    }
    boolean allAreMine = saved.stream().allMatch(page -> page.isOf(stateBytes));
    if (!allAreMine) {
      cold.clear();
    }
    pages.restore(ofGroup, saved.stream().map(page -> flows(ofGroup, page, allAreMine)).toList());
  }

  private SavedFlows flows(int ofGroup, SavedPage page, boolean allAreMine) {
    return new SavedFlows(
        page.number, page.size, page.isSaved && allAreMine, () -> content(ofGroup, page));
  }

  private MemorySegment content(int ofGroup, SavedPage page) {
    byte[] content = page.content();
    if (!page.unpack(content)) {
      throw damaged(
          ofGroup, "page " + page.number + " cannot be of " + page.lengthBytes() + " bytes", null);
    }
    return MemorySegment.ofArray(content);
  }

  private List<SavedPage> readChanges(int ofGroup, DataInputStream in) throws IOException {
    List<SavedPage> saved = new ArrayList<>();
    try {
      byte[] found = header.before(0);
      in.readFully(found);
      FlowTableSize size = new FlowTableSize(header.stateBytesOf(found), 1);
      int count = in.readInt();
      if (count < 0) {
        throw damaged(ofGroup, "there are " + count + " pages", null);
      }
      for (int i = 0; i < count; i++) {
        saved.add(readChange(ofGroup, size, in));
      }
      return saved;
    } catch (EOFException e) {
      throw damaged(ofGroup, "they end too soon", e);
    }
  }

  private SavedPage readChange(int ofGroup, FlowTableSize size, DataInputStream in)
      throws IOException {
    int pageNumber = in.readInt();
    int length = in.readInt();
    if (length < 0 || length > PackedPage.mostBytes(size.contentBytes())) {
      throw damaged(ofGroup, "page " + pageNumber + " has " + length + " bytes", null);
    }
    byte[] packed = new byte[length];
    in.readFully(packed);
    return new SavedPage(pageNumber, size, packed, 0, false);
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

  /** Reads a page that has left memory. */
  @Override
  public void read(int ofGroup, int pageNumber, byte[] content) {
    final long beginNs = clock.nowNs();
    byte[] value;
    try {
      currentKey.accept(keys[ofGroup]);
      value = cold.get(pageNumber);
    } catch (Exception e) {
      throw new FlinkRuntimeException("cannot read a page of flows from keyed state", e);
    }
    if (value == null || !new SavedPage(pageNumber, value, header).unpack(content)) {
      throw damaged(ofGroup, "page " + pageNumber + " is not as it was saved", null);
    }
    timeToSave.take(beginNs, clock.nowNs());
  }

  @Override
  public boolean hasTimeToSave() {
    return timeToSave.isLeft(clock.nowNs());
  }

  @Override
  public void save(int ofGroup, int pageNumber) {
    long beginNs = clock.nowNs();
    try {
      put(ofGroup, pageNumber);
    } catch (Exception e) {
      throw new FlinkRuntimeException("cannot write a page of flows to keyed state", e);
    }
    timeToSave.take(beginNs, clock.nowNs());
  }

  /**
   * Puts some pages that were left alone into keyed state: as many as the time since the last call
   * allows. Each round looks at every page once: what it finds as the last left it, it puts.
   */
  void putSome() throws Exception {
    final long nowNs = clock.nowNs();
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
    heldBackBytes += put(group, number);
    putNs += NS_PER_PUT;
  }

  private int put(int ofGroup, int pageNumber) throws Exception {
    int length = pages.packPage(ofGroup, pageNumber, page, 0);
    byte[] value = header.before(length);
    System.arraycopy(page, 0, value, header.sizeBytes(), length);
    currentKey.accept(keys[ofGroup]);
    cold.put(pageNumber, value);
    pages.saved(ofGroup, pageNumber);
    put[ofGroup].set(pageNumber);
    writtenBytes += value.length;
    return value.length;
  }

  /** At a checkpoint, before the changes are written: pages that are no more leave keyed state. */
  void beginCheckpoint() throws Exception {
    final long nowNs = clock.nowNs();
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

  /** Pages that are not in keyed state as they are now, counted on demand. */
  int changedPages() {
    return IntStream.range(0, keys.length).map(this::changedPages).sum();
  }

  private int changedPages(int ofGroup) {
    int count = 0;
    for (int i = 0; i < pages.pageNumbers(ofGroup); i++) {
      count += pages.isChanged(ofGroup, i) ? 1 : 0;
    }
    return count;
  }

  /** Writes a group's pages that are not in keyed state as they are now. */
  void writeChanges(int ofGroup, DataOutputView out) throws IOException {
    out.write(header.before(0));
    out.writeInt(changedPages(ofGroup));
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
