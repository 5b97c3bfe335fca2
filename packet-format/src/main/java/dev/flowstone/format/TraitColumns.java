// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.format;

import static dev.flowstone.model.abi.PacketColumns.*;
import static dev.flowstone.model.abi.PacketRecordLayout.FRAME_LENGTH_MASK;
import static dev.flowstone.model.abi.PacketRecordLayout.TRAFFIC_CLASS_SHIFT;

/** The columns of what a direction repeats from packet to packet, and says when it changes. */
final class TraitColumns {
  private static final int STATE_WORDS_LOG2 = 2;
  private static final int LATEST_WINDOW = 0;
  private static final int LATEST_OVERHEAD = 1;
  private static final int LATEST_TRAITS = 2;

  private final MessageColumns columns;
  private final SparseColumn windows;
  private final SparseColumn overheads;
  private final SparseColumn traitSteps;
  private final int[] state;
  private int directionCount;
  private int followingCount;

  TraitColumns(int maxCount, MessageColumns columns) {
    this.columns = columns;
    windows = columns.sparse(WINDOW);
    overheads = columns.sparse(OVERHEAD);
    traitSteps = columns.sparse(TRAITS);
    state = new int[(2 * maxCount) << STATE_WORDS_LOG2];
  }

  void clear() {
    directionCount = 0;
    followingCount = 0;
  }

  /** The direction column says which packets are the first of their direction. */
  void add(long[] words, int[] senders, int first, int chunkCount) {
    final int[] state = this.state;
    final int[] codes = columns.plain(DIRECTION);
    int row = followingCount;
    for (int i = 0; i < chunkCount; i++) {
      final int at = i * RecordChunk.WORDS;
      final long windowAndPayload = words[at + RecordChunk.ACKNOWLEDGEMENT_WINDOW_PAYLOAD];
      final long attributesAndDescriptor = words[at + RecordChunk.ATTRIBUTES_DESCRIPTOR];
      final int attributes = (int) attributesAndDescriptor;
      final int descriptor = (int) (attributesAndDescriptor >>> 32);
      final int window = (int) (windowAndPayload >>> 32) & 0xffff;
      final int overhead = (descriptor & FRAME_LENGTH_MASK) - (int) (windowAndPayload >>> 48);
      final int traits =
          attributes >>> 24
              | (attributes >>> 16 & 0xff) << 8
              | descriptor >>> TRAFFIC_CLASS_SHIFT << 16;
      final int latest = senders[i] << STATE_WORDS_LOG2;
      if (codes[first + i] == 0) {
        start(latest, window, overhead, traits);
      } else {
        final int difference =
            (window ^ state[latest + LATEST_WINDOW])
                | (overhead ^ state[latest + LATEST_OVERHEAD])
                | (traits ^ state[latest + LATEST_TRAITS]);
        if (difference != 0) {
          change(row, latest, window, overhead, traits);
        }
        row++;
      }
    }
    followingCount = row;
  }

  private void start(int latest, int window, int overhead, int traits) {
    final int direction = directionCount++;
    columns.plain(TIME_TO_LIVE)[direction] = traits & 0xff;
    columns.plain(TYPE_OF_SERVICE)[direction] = traits >>> 8 & 0xff;
    columns.plain(DESCRIPTOR_HIGH)[direction] = traits >>> 16;
    columns.plain(FIRST_WINDOW)[direction] = window;
    columns.plain(FIRST_OVERHEAD)[direction] = overhead;
    keep(latest, window, overhead, traits);
  }

  private void change(int row, int latest, int window, int overhead, int traits) {
    final int windowStep = (short) (window - state[latest + LATEST_WINDOW]);
    if (windowStep != 0) {
      windows.add(row, ZigZag.encode(windowStep));
    }
    final int overheadStep = overhead - state[latest + LATEST_OVERHEAD];
    if (overheadStep != 0) {
      overheads.add(row, ZigZag.encode(overheadStep));
    }
    final int traitStep = traits - state[latest + LATEST_TRAITS];
    if (traitStep != 0) {
      traitSteps.add(row, ZigZag.encode(traitStep));
    }
    keep(latest, window, overhead, traits);
  }

  private void keep(int latest, int window, int overhead, int traits) {
    state[latest + LATEST_WINDOW] = window;
    state[latest + LATEST_OVERHEAD] = overhead;
    state[latest + LATEST_TRAITS] = traits;
  }
}
