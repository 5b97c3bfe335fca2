// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators;

import java.io.IOException;
import java.util.Arrays;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyedStateCheckpointOutputStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes key groups to a checkpoint's stream while the next ones are being packed. Packets wait for
 * both, and the stream takes about as long as packing does. Used by one thread, and has one.
 */
final class KeyGroupWriter implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(KeyGroupWriter.class);

  /** Enough that handing over costs nothing beside it; little state is never handed over. */
  private static final int PIECE_BYTES = 1 << 20;

  private final ExecutorService thread =
      Executors.newSingleThreadExecutor(
          Thread.ofPlatform().daemon().name("key-group-writer").factory());

  private Piece filling = new Piece();
  private Piece leaving = new Piece();

  /** Done once the latter has been written; null: nothing of this checkpoint has left yet. */
  private Future<Void> left;

  /** Makes the bytes of a key group. */
  @FunctionalInterface
  interface Packer {
    void pack(int keyGroup, DataOutputSerializer out) throws IOException;
  }

  /** Some key groups, one after the other. */
  private static final class Piece {
    private final DataOutputSerializer bytes = new DataOutputSerializer(PIECE_BYTES);
    private int firstKeyGroup;
    private int[] ends = new int[1];
    private int count;

    void begin(int keyGroup) {
      firstKeyGroup = keyGroup;
      count = 0;
      bytes.clear();
    }

    void endGroup() {
      if (count == ends.length) {
        ends = Arrays.copyOf(ends, 2 * count);
      }
      ends[count++] = bytes.length();
    }

    Void writeTo(KeyedStateCheckpointOutputStream stream) throws IOException {
      int from = 0;
      for (int i = 0; i < count; i++) {
        stream.startNewKeyGroup(firstKeyGroup + i);
        stream.write(bytes.getSharedBuffer(), from, ends[i] - from);
        from = ends[i];
      }
      return null;
    }
  }

  /** Packs and writes them all; returns when they are written. */
  void write(KeyGroupRange keyGroups, KeyedStateCheckpointOutputStream stream, Packer packer)
      throws IOException, InterruptedException {
    begin(keyGroups.getStartKeyGroup());
    for (int keyGroup : keyGroups) {
      packer.pack(keyGroup, filling.bytes);
      filling.endGroup();
      if (filling.bytes.length() >= PIECE_BYTES) {
        awaitLeft();
        Piece full = filling;
        filling = leaving;
        leaving = full;
        left = thread.submit(() -> full.writeTo(stream));
        filling.begin(keyGroup + 1);
      }
    }
    awaitLeft();
    filling.writeTo(stream);
  }

  /** A checkpoint that failed while it was packed may have left a piece behind. */
  private void begin(int firstKeyGroup) throws InterruptedException {
    try {
      awaitLeft();
    } catch (IOException e) {
      LOG.debug("of a former checkpoint, which has failed", e);
    }
    left = null;
    filling.begin(firstKeyGroup);
  }

  private void awaitLeft() throws IOException, InterruptedException {
    try {
      if (left != null) {
        left.get();
      }
    } catch (ExecutionException e) {
      throw new IOException("a checkpoint's stream takes no more key groups", e.getCause());
    }
  }

  /** What is on its way is given up. */
  @Override
  public void close() {
    thread.shutdownNow();
  }
}
