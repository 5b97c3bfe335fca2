// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.format;

import static dev.flowstone.model.abi.PacketColumns.DIRECTION;
import static dev.flowstone.model.abi.PacketColumns.DIRECTION_FLOW;
import static dev.flowstone.model.abi.PacketColumns.FIRST_ACKNOWLEDGEMENT;
import static dev.flowstone.model.abi.PacketColumns.FIRST_FROM_B;
import static dev.flowstone.model.abi.PacketColumns.FIRST_SEQUENCE;
import static dev.flowstone.model.abi.PacketColumns.SEQUENCE;

import dev.flowstone.model.abi.PacketColumns;

/**
 * The columns that say which direction a packet belongs to and where in its stream it is: a
 * direction's sequence and acknowledgement follow from its latest packet and from the opposite one.
 */
final class StreamColumns {
  /** What is known of each sender; a flow's two are neighbours. */
  private static final int STATE_WORDS_LOG2 = 2;

  private static final int OPPOSITE = 1 << STATE_WORDS_LOG2;

  /** What the direction column says of a packet that goes on; 0: there was no packet yet. */
  private static final int CODE = 0;

  private static final int NEXT_SEQUENCE = 1;
  private static final int LATEST_ACKNOWLEDGEMENT = 2;

  private final MessageColumns columns;
  private final SparseColumn sequences;
  private final int[] state;
  private int directionCount;
  private int followingCount;

  StreamColumns(int maxCount, MessageColumns columns) {
    this.columns = columns;
    sequences = columns.sparse(SEQUENCE);
    state = new int[(2 * maxCount) << STATE_WORDS_LOG2];
  }

  void clear() {
    directionCount = 0;
    followingCount = 0;
  }

  int directionCount() {
    return directionCount;
  }

  /** A flow that is new has no packet in either direction. */
  void addFlows(int first, int end) {
    for (int flow = first; flow < end; flow++) {
      final int sender = flow << (1 + STATE_WORDS_LOG2);
      state[sender + CODE] = 0;
      state[sender + OPPOSITE + CODE] = 0;
    }
  }

  void add(long[] words, int[] senders, int first, int chunkCount) {
    final int[] state = this.state;
    final int[] codes = columns.plain(DIRECTION);
    final int[] acknowledgements = columns.plain(PacketColumns.ACKNOWLEDGEMENT);
    int row = followingCount;
    for (int i = 0; i < chunkCount; i++) {
      final int at = i * RecordChunk.WORDS;
      final long acknowledgementWindowPayload =
          words[at + RecordChunk.ACKNOWLEDGEMENT_WINDOW_PAYLOAD];
      final int attributes = (int) words[at + RecordChunk.ATTRIBUTES_DESCRIPTOR];
      final int sequence = (int) (words[at + RecordChunk.PORTS_SEQUENCE] >>> 32);
      final int acknowledgement = (int) acknowledgementWindowPayload;
      final int payload = (int) (acknowledgementWindowPayload >>> 48);
      final int protocol = attributes & 0xff;
      final int latest = senders[i] << STATE_WORDS_LOG2;
      final int code = state[latest + CODE];
      codes[first + i] = code;
      if (code == 0) {
        start(
            senders[i],
            protocol,
            (int) words[at + RecordChunk.PORTS_SEQUENCE],
            sequence,
            acknowledgement,
            payload);
      } else {
        final int step = sequence - state[latest + NEXT_SEQUENCE];
        if (step != 0) {
          sequences.add(row, ZigZag.encode(step));
        }
        final int expected =
            protocol == Prediction.UDP
                ? Prediction.udpLengthWord(payload)
                : state[latest + LATEST_ACKNOWLEDGEMENT];
        acknowledgements[row++] = ZigZag.encode(acknowledgement - expected);
      }
      state[latest + NEXT_SEQUENCE] =
          Prediction.nextSequence(protocol, sequence, payload, attributes >>> 8);
      state[latest + LATEST_ACKNOWLEDGEMENT] = acknowledgement;
    }
    followingCount = row;
  }

  private void start(
      int sender, int protocol, int ports, int sequence, int acknowledgement, int payload) {
    final int direction = directionCount++;
    final int latest = sender << STATE_WORDS_LOG2;
    final int opposite = latest ^ OPPOSITE;
    final boolean second = state[opposite + CODE] != 0;
    state[latest + CODE] = 1 + direction;
    if (second) {
      columns.plain(DIRECTION_FLOW)[direction] = 1 + (sender >>> 1);
    } else {
      columns.plain(DIRECTION_FLOW)[direction] = 0;
      columns.plain(FIRST_FROM_B)[sender >>> 1] = sender & 1;
    }
    int expectedSequence = 0;
    int expectedAcknowledgement = 0;
    if (protocol == Prediction.UDP) {
      // The header's first word: source port, destination port.
      expectedSequence = (ports << 16) | (ports >>> 16);
      expectedAcknowledgement = Prediction.udpLengthWord(payload);
    } else if (protocol == Prediction.TCP && second) {
      expectedSequence = state[opposite + LATEST_ACKNOWLEDGEMENT];
      expectedAcknowledgement = state[opposite + NEXT_SEQUENCE];
    }
    columns.plain(FIRST_SEQUENCE)[direction] = ZigZag.encode(sequence - expectedSequence);
    columns.plain(FIRST_ACKNOWLEDGEMENT)[direction] =
        ZigZag.encode(acknowledgement - expectedAcknowledgement);
  }
}
