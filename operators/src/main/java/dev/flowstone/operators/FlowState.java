// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators;

import dev.flowstone.offheap.flows.FlowTable;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.Types;

/**
 * Keeps a {@link FlowTable} in Flink's state, by key group: whoever has a group later, in however
 * many subtasks, gets its pages. Only what changed is written, in two ways:
 *
 * <ul>
 *   <li>A page that was left alone for a while goes to keyed state, a map of pages under one key of
 *       the group; a few with each block, so that nobody waits. There it stays, in incremental
 *       checkpoints, until it changes.
 *   <li>What changed since goes to the checkpoint's own stream, page after page. Keyed state would
 *       be written to disk before packets go on: with RocksDB that takes ten times as long.
 * </ul>
 *
 * <p>A page that is in both was changed after it went to keyed state. One thread.
 */
final class FlowState {
  /** Pages that are looked at, and written, with one block. */
  private static final int MOST_LOOKS = 256;

  private static final int MOST_PUTS = 8;

  /** RocksDB writes what it holds back to disk when a checkpoint begins, while packets wait. */
  static final long MOST_BYTES_HELD_BACK = 8 << 20;

  /** Parts of the time between checkpoints after which a page counts as left alone. */
  private static final int ROUNDS_PER_CHECKPOINT = 4;

  private static final long FIRST_ROUND_NS = 2_500_000_000L;

  /** Calls to the operating system cost more than the copy. */
  private static final int WRITE_BUFFER_BYTES = 1 << 16;

  private final FlowTable table;
  private final FlowPageHeader header;
  private final int pageBytes;
  private final int[] keys;
  private final Consumer<Object> currentKey;
  private final MapState<Integer, byte[]> cold;

  /** Of each group the pages that went to keyed state since the last checkpoint: once is enough. */
  private final BitSet[] put;

  private long heldBackBytes;
  private long writtenBytes;

  private int group;
  private int number;
  private long roundNs = FIRST_ROUND_NS;
  private long roundBeganNs;
  private long checkpointNs;

  /**
   * State of one subtask.
   *
   * @param keys one of each key group of the table
   * @param currentKey chooses the key that state is read and written of
   * @param nowNs of {@link System#nanoTime}
   */
  FlowState(
      FlowTable table,
      FlowStateFormat format,
      int[] keys,
      Consumer<Object> currentKey,
      MapState<Integer, byte[]> cold,
      long nowNs) {
    this.table = table;
    this.keys = keys;
    this.currentKey = currentKey;
    this.cold = cold;
    pageBytes = table.pageContentBytes();
    header = new FlowPageHeader(format, pageBytes);
    put = new BitSet[keys.length];
    Arrays.setAll(put, _ -> new BitSet());
    roundBeganNs = nowNs;
    checkpointNs = nowNs;
  }

  static MapStateDescriptor<Integer, byte[]> descriptor() {
    return new MapStateDescriptor<>(
        "flow-pages", Types.INT, PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO);
  }

  /** All bytes that were given to Flink, in either way. */
  long writtenBytes() {
    return writtenBytes;
  }

  /** Reads a group's changed pages, which {@link #writeChanges} wrote; before {@link #restore}. */
  void restoreChanges(int ofGroup, InputStream stream) throws IOException {
    DataInputStream in = new DataInputStream(stream);
    byte[] found = header.before(0);
    in.readFully(found);
    header.require(found);
    byte[] page = new byte[pageBytes];
    for (int pages = in.readInt(); pages > 0; pages--) {
      int pageNumber = in.readInt();
      in.readFully(page);
      table.restorePage(ofGroup, pageNumber, MemorySegment.ofArray(page));
      table.touch(ofGroup, pageNumber);
    }
  }

  /** Reads from keyed state what did not change since it went there. */
  void restore() throws Exception {
    for (int each = 0; each < keys.length; each++) {
      currentKey.accept(keys[each]);
      for (Map.Entry<Integer, byte[]> saved : cold.entries()) {
        restoreCold(each, saved.getKey(), saved.getValue());
      }
    }
  }

  private void restoreCold(int ofGroup, int pageNumber, byte[] value) {
    header.require(value);
    if (value.length != header.sizeBytes() + pageBytes) {
      throw new IllegalStateException(
          "page " + pageNumber + " of the state's flows has " + value.length + " bytes: damaged");
    }
    if (!table.hasPage(ofGroup, pageNumber)) {
      MemorySegment content = MemorySegment.ofArray(value).asSlice(header.sizeBytes());
      table.restorePage(ofGroup, pageNumber, content);
    }
  }

  /**
   * Puts some pages that were left alone into keyed state. Each round looks at every page once:
   * what it finds as the last left it, it puts.
   */
  void putSome(long nowNs) throws Exception {
    int puts = 0;
    for (int looks = 0; looks < MOST_LOOKS && puts < MOST_PUTS; looks++) {
      if (number >= table.pageNumbers(group)) {
        if (!nextGroup(nowNs)) {
          return;
        }
      } else {
        puts += putIfSettled() ? 1 : 0;
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
    }
    return true;
  }

  private boolean putIfSettled() throws Exception {
    if (heldBackBytes >= MOST_BYTES_HELD_BACK
        || put[group].get(number)
        || !table.hasPage(group, number)
        || !table.settle(group, number)) {
      return false;
    }
    byte[] value = header.before(pageBytes);
    table.copyPage(group, number, value, header.sizeBytes());
    currentKey.accept(keys[group]);
    cold.put(number, value);
    table.saved(group, number);
    put[group].set(number);
    heldBackBytes += value.length;
    writtenBytes += value.length;
    return true;
  }

  /** At a checkpoint, before the changes are written: pages that are no more leave keyed state. */
  void beginCheckpoint(long nowNs) throws Exception {
    for (int each = 0; each < keys.length; each++) {
      put[each].clear();
      currentKey.accept(keys[each]);
      for (int i = 0; i < table.pageNumbers(each); i++) {
        if (!table.hasPage(each, i) && table.isChanged(each, i)) {
          cold.remove(i);
          table.saved(each, i);
        }
      }
    }
    heldBackBytes = 0;
    roundNs = (nowNs - checkpointNs) / ROUNDS_PER_CHECKPOINT;
    checkpointNs = nowNs;
  }

  /** Writes a group's pages that are not in keyed state as they are now. */
  void writeChanges(int ofGroup, OutputStream stream) throws IOException {
    DataOutputStream out =
        new DataOutputStream(new BufferedOutputStream(stream, WRITE_BUFFER_BYTES));
    out.write(header.before(0));
    int pages = 0;
    for (int i = 0; i < table.pageNumbers(ofGroup); i++) {
      pages += table.isChanged(ofGroup, i) ? 1 : 0;
    }
    out.writeInt(pages);
    byte[] page = new byte[Integer.BYTES + pageBytes];
    for (int i = 0; i < table.pageNumbers(ofGroup); i++) {
      if (table.isChanged(ofGroup, i)) {
        ByteBuffer.wrap(page).putInt(i);
        table.copyPage(ofGroup, i, page, Integer.BYTES);
        out.write(page);
        writtenBytes += page.length;
      }
    }
    out.flush();
  }
}
