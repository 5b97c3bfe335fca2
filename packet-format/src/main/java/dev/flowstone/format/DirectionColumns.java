// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.format;

import static dev.flowstone.model.abi.PacketColumns.DIRECTION;
import static dev.flowstone.model.abi.PacketColumns.DIRECTION_FLOW;
import static dev.flowstone.model.abi.PacketColumns.DIRECTION_PROFILE;
import static dev.flowstone.model.abi.PacketColumns.FIRST_ACKNOWLEDGEMENT;
import static dev.flowstone.model.abi.PacketColumns.FIRST_FROM_B;
import static dev.flowstone.model.abi.PacketColumns.FIRST_SEQUENCE;
import static dev.flowstone.model.abi.PacketColumns.OVERHEAD_STEP;
import static dev.flowstone.model.abi.PacketColumns.SEQUENCE;
import static dev.flowstone.model.abi.PacketColumns.TRAIT_STEP;
import static dev.flowstone.model.abi.PacketColumns.WINDOW_STEP;
import static dev.flowstone.model.abi.PacketRecordLayout.TRAFFIC_CLASS_SHIFT;

import dev.flowstone.model.abi.PacketColumns;

/**
 * The columns that say which direction a packet belongs to, and how it differs from what the
 * direction's latest packet, or the opposite one, makes one expect.
 *
 * <p>Three words are known of each sender: what the direction column says of its packets (0: there
 * was none yet) above the sequence number that comes next, its latest acknowledgement, and its
 * profile.
 */
final class DirectionColumns {
  private static final int CODE_SEQUENCE = 0;
  private static final int ACKNOWLEDGEMENT = 1;
  private static final int PROFILE = 2;
  private static final int CODE_SHIFT = 32;

  private final MessageColumns columns;
  private final ProfileColumns profiles;
  private final SparseColumn sequences;
  private final SparseColumn windows;
  private final SparseColumn overheads;
  private final SparseColumn traits;
  private int flowCount;
  private int directionCount;
  private int followingCount;

  DirectionColumns(int maxCount, MessageColumns columns) {
    this.columns = columns;
    profiles = new ProfileColumns(maxCount, columns);
    sequences = columns.sparse(SEQUENCE);
    windows = columns.sparse(WINDOW_STEP);
    overheads = columns.sparse(OVERHEAD_STEP);
    traits = columns.sparse(TRAIT_STEP);
  }

  void clear(int packets) {
    profiles.clear(packets);
    flowCount = 0;
    directionCount = 0;
    followingCount = 0;
  }

  int profileCount() {
    return profiles.profileCount();
  }

  int directionCount() {
    return directionCount;
  }

  /**
   * Adds a chunk's packets.
   *
   * @param known words of senders, see {@link FlowTable#blocks}
   */
  void add(long[] words, int[] senders, long[] known, int first, int chunkCount) {
    final int[] codes = columns.plain(DIRECTION);
    final int[] acknowledgements = columns.plain(PacketColumns.ACKNOWLEDGEMENT);
    final SparseColumn sequences = this.sequences;
    int row = followingCount;
    for (int i = 0; i < chunkCount; i++) {
      final int at = i * RecordChunk.WORDS;
      final long acknowledgementWindowPayload =
          words[at + RecordChunk.ACKNOWLEDGEMENT_WINDOW_PAYLOAD];
      final long attributesAndDescriptor = words[at + RecordChunk.ATTRIBUTES_DESCRIPTOR];
      final int sequence = (int) (words[at + RecordChunk.PORTS_SEQUENCE] >>> 32);
      final int acknowledgement = (int) acknowledgementWindowPayload;
      final int payload = (int) (acknowledgementWindowPayload >>> 48);
      final int protocol = (int) attributesAndDescriptor & 0xff;
      final long profile =
          Profile.of(acknowledgementWindowPayload, attributesAndDescriptor, payload);
      final int sender = senders[i];
      final long codeAndSequence = known[sender + CODE_SEQUENCE];
      int code = (int) (codeAndSequence >>> CODE_SHIFT);
      codes[first + i] = code;
      if (code == 0) {
        start(sender, known, words, at, protocol, sequence, acknowledgement, payload, profile);
        code = directionCount;
      } else {
        sequences.addUnlessZero(row, ZigZag.encode(sequence - (int) codeAndSequence));
        final int udp = Prediction.maskOf(Prediction.UDP, protocol);
        final int expected =
            (Prediction.udpLengthWord(payload) & udp)
                | ((int) known[sender + ACKNOWLEDGEMENT] & ~udp);
        acknowledgements[row] = ZigZag.encode(acknowledgement - expected);
        if (profile != known[sender + PROFILE]) {
          change(row, known[sender + PROFILE], profile);
        }
        row++;
      }
      final int next =
          Prediction.nextSequence(protocol, sequence, payload, (int) attributesAndDescriptor >>> 8);
      known[sender + CODE_SEQUENCE] = (long) code << CODE_SHIFT | (next & 0xffff_ffffL);
      known[sender + ACKNOWLEDGEMENT] = acknowledgement;
      known[sender + PROFILE] = profile;
    }
    followingCount = row;
  }

  private void start(
      int sender,
      long[] known,
      long[] words,
      int at,
      int protocol,
      int sequence,
      int acknowledgement,
      int payload,
      long profile) {
    final int direction = directionCount++;
    final int opposite = FlowTable.oppositeOf(sender);
    // 0, or all bits set where the other endpoint has sent before.
    final int second = -(int) (-(known[opposite + CODE_SEQUENCE] >>> CODE_SHIFT) >>> 63);
    columns.plain(DIRECTION_FLOW)[direction] = (flowCount - FlowTable.flowOf(sender)) & second;
    columns.plain(FIRST_FROM_B)[flowCount] = FlowTable.sideOf(sender); // till a flow begins
    flowCount += 1 + second;
    columns.plain(DIRECTION_PROFILE)[direction] = profiles.code(profile);
    final int udp = Prediction.maskOf(Prediction.UDP, protocol);
    final int answer = Prediction.maskOf(Prediction.TCP, protocol) & second;
    // A UDP header's first word: source port, destination port.
    final int ports = Integer.rotateLeft((int) words[at + RecordChunk.PORTS_SEQUENCE], 16);
    final int expectedSequence = (ports & udp) | ((int) known[opposite + ACKNOWLEDGEMENT] & answer);
    final int expectedAcknowledgement =
        (Prediction.udpLengthWord(payload) & udp)
            | ((int) known[opposite + CODE_SEQUENCE] & answer);
    columns.plain(FIRST_SEQUENCE)[direction] = ZigZag.encode(sequence - expectedSequence);
    columns.plain(FIRST_ACKNOWLEDGEMENT)[direction] =
        ZigZag.encode(acknowledgement - expectedAcknowledgement);
  }

  private void change(int row, long before, long profile) {
    windows.addUnlessZero(
        row, ZigZag.encode((short) (Profile.window(profile) - Profile.window(before))));
    overheads.addUnlessZero(
        row, ZigZag.encode(signed19(Profile.overhead(profile) - Profile.overhead(before))));
    traits.addUnlessZero(row, ZigZag.encode(Profile.traits(profile) - Profile.traits(before)));
  }

  private static int signed19(int number) {
    final int unused = Integer.SIZE - TRAFFIC_CLASS_SHIFT;
    return number << unused >> unused;
  }
}
