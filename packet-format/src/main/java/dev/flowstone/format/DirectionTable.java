// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.format;

import static dev.flowstone.model.abi.PacketColumns.*;

/**
 * Every direction of a message being decoded: the words that all its records share, and what the
 * next one is expected to say. Keeps its space from message to message.
 */
final class DirectionTable {
  static final int NONE = -1;

  /** Words of a direction that its records share; the upper half of the first is the flow hash. */
  static final int SHARED_WORDS_LOG2 = 3;

  static final int HASH = 0;
  static final int SOURCE_HIGH = 1;
  static final int SOURCE_LOW = 2;
  static final int DESTINATION_HIGH = 3;
  static final int DESTINATION_LOW = 4;

  /** As a record has them: the source port below the destination port. */
  static final int PORTS = 5;

  static final int PROTOCOL_WORD = 6;

  /** Words of what is known of its latest packet. */
  static final int LATEST_WORDS_LOG2 = 3;

  static final int NEXT_SEQUENCE = 0;
  static final int LATEST_ACKNOWLEDGEMENT = 1;
  static final int WINDOW = 2;
  static final int OVERHEAD = 3;
  static final int TRAITS = 4;

  private static final int A_SIDE = 0;

  long[] shared = new long[0];
  int[] latest = new int[0];

  /** The other direction of a second one's flow; {@link #NONE} for the first. */
  int[] opposite = new int[0];

  /** By flow: its first direction, and {@link #NONE} once it has a second one. */
  private int[] awaiting = new int[0];

  private int[] firstSide = new int[0];
  private int[] pairOfFlow = new int[0];
  private int[] hashes = new int[0];

  /** Takes in all but the packets. */
  void begin(MessageTables tables) {
    final ColumnRows rows = tables.rows();
    reserve(rows.directions());
    resolve(
        tables.columns[FLOW_PAIR], rows.flows(), rows.pairs(), pairOfFlow, "flow_pair", "pairs");
    completeHashes(tables.columns, rows.flows());
    startDirections(tables.columns, rows);
    startProfiles(tables.columns, rows);
  }

  private void reserve(int directions) {
    if (opposite.length < directions) {
      shared = new long[directions << SHARED_WORDS_LOG2];
      latest = new int[directions << LATEST_WORDS_LOG2];
      opposite = new int[directions];
      awaiting = new int[directions];
      firstSide = new int[directions];
      pairOfFlow = new int[directions];
      hashes = new int[directions];
    }
  }

  /** Codes into rows of another table: 0 takes the next, 1 + row one that was taken. */
  private static void resolve(
      int[] codes, int rows, int ofTable, int[] found, String column, String table) {
    int taken = 0;
    for (int i = 0; i < rows; i++) {
      final int code = codes[i];
      if (code < 0 || code > taken || (code == 0 && taken == ofTable)) {
        throw new PacketBatchException(
            "column " + column,
            "row "
                + i
                + " says "
                + Integer.toUnsignedString(code)
                + " where "
                + taken
                + " of "
                + ofTable
                + " "
                + table
                + " are taken");
      }
      found[i] = code == 0 ? taken++ : code - 1;
    }
    if (taken != ofTable) {
      throw new PacketBatchException(
          "column " + column, taken + " " + table + " are taken, not " + ofTable);
    }
  }

  /** Once per flow rather than once per packet. */
  private void completeHashes(int[][] columns, int flows) {
    for (int flow = 0; flow < flows; flow++) {
      final int pair = pairOfFlow[flow];
      hashes[flow] =
          columns[FLOW_HASH][flow]
              ^ FlowHashPrediction.predict(
                  addressWord(columns, A_ADDRESS_0, pair),
                  addressWord(columns, A_ADDRESS_2, pair),
                  addressWord(columns, B_ADDRESS_0, pair),
                  addressWord(columns, B_ADDRESS_2, pair),
                  columns[A_PORT][flow] & 0xffff,
                  columns[B_PORT][flow] & 0xffff,
                  columns[PROTOCOL][pair] & 0xff);
    }
  }

  private static long addressWord(int[][] columns, int firstColumn, int pair) {
    return (long) columns[firstColumn][pair] << 32
        | (columns[firstColumn + 1][pair] & 0xffff_ffffL);
  }

  /** Gives every direction its flow and its sending endpoint. */
  private void startDirections(int[][] columns, ColumnRows rows) {
    int begun = 0;
    for (int direction = 0; direction < rows.directions(); direction++) {
      final int back = columns[DIRECTION_FLOW][direction];
      if (back == 0) {
        if (begun == rows.flows()) {
          throw new PacketBatchException(
              "column direction_flow", "more than " + rows.flows() + " flows begin");
        }
        opposite[direction] = NONE;
        awaiting[begun] = direction;
        firstSide[begun] = columns[FIRST_FROM_B][begun] & 1;
        share(columns, direction, begun, firstSide[begun]);
        begun++;
      } else {
        startSecond(columns, direction, begun - back, begun);
      }
    }
    MessageTables.require(
        begun == rows.flows(),
        "column direction_flow",
        "%d flows begin, not %d",
        begun,
        rows.flows());
  }

  private void startSecond(int[][] columns, int direction, int flow, int begun) {
    if (flow < 0 || flow >= begun || awaiting[flow] == NONE) {
      throw new PacketBatchException(
          "column direction_flow",
          "row "
              + direction
              + " names flow "
              + Integer.toUnsignedString(flow)
              + ", which awaits no second direction");
    }
    opposite[direction] = awaiting[flow];
    awaiting[flow] = NONE;
    share(columns, direction, flow, 1 - firstSide[flow]);
  }

  private void share(int[][] columns, int direction, int flow, int side) {
    final int pair = pairOfFlow[flow];
    final int source = side == A_SIDE ? A_ADDRESS_0 : B_ADDRESS_0;
    final int destination = side == A_SIDE ? B_ADDRESS_0 : A_ADDRESS_0;
    final long sourcePort = columns[side == A_SIDE ? A_PORT : B_PORT][flow] & 0xffff;
    final long destinationPort = columns[side == A_SIDE ? B_PORT : A_PORT][flow] & 0xffff;
    final long[] shared = this.shared;
    final int words = direction << SHARED_WORDS_LOG2;
    shared[words + HASH] = (long) hashes[flow] << 32;
    shared[words + SOURCE_HIGH] = Long.reverseBytes(addressWord(columns, source, pair));
    shared[words + SOURCE_LOW] = Long.reverseBytes(addressWord(columns, source + 2, pair));
    shared[words + DESTINATION_HIGH] = Long.reverseBytes(addressWord(columns, destination, pair));
    shared[words + DESTINATION_LOW] =
        Long.reverseBytes(addressWord(columns, destination + 2, pair));
    shared[words + PORTS] = sourcePort | destinationPort << 16;
    shared[words + PROTOCOL_WORD] = columns[PROTOCOL][pair] & 0xff;
  }

  /** What a direction's first packet says of the things that it repeats. */
  private void startProfiles(int[][] columns, ColumnRows rows) {
    final int[] profileOf = awaiting; // nothing is awaited any more
    resolve(
        columns[DIRECTION_PROFILE],
        rows.directions(),
        rows.profiles(),
        profileOf,
        "direction_profile",
        "profiles");
    for (int direction = 0; direction < rows.directions(); direction++) {
      final int profile = profileOf[direction];
      final int words = direction << LATEST_WORDS_LOG2;
      latest[words + WINDOW] = columns[PROFILE_WINDOW][profile];
      latest[words + OVERHEAD] = columns[PROFILE_OVERHEAD][profile];
      latest[words + TRAITS] =
          (columns[TIME_TO_LIVE][profile] & 0xff)
              | (columns[TYPE_OF_SERVICE][profile] & 0xff) << 8
              | columns[DESCRIPTOR_HIGH][profile] << 16;
    }
  }
}
