// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.format;

import static dev.flowstone.model.abi.PacketColumns.DESCRIPTOR_HIGH;
import static dev.flowstone.model.abi.PacketColumns.PROFILE_OVERHEAD;
import static dev.flowstone.model.abi.PacketColumns.PROFILE_WINDOW;
import static dev.flowstone.model.abi.PacketColumns.TIME_TO_LIVE;
import static dev.flowstone.model.abi.PacketColumns.TYPE_OF_SERVICE;

import java.util.Arrays;

/**
 * The profiles of a message, found by their word, and their columns. As with pairs, a profile that
 * is not found where it is looked for is written again.
 */
final class ProfileColumns {
  private static final int MOST_SLOTS_LOG2 = 12;
  private static final int SLOTS_LOOKED_AT = 4;
  private static final int FREE = 0;
  private static final long SPREAD = 0x9e37_79b9_7f4a_7c15L;

  private final MessageColumns columns;
  private final int[] slots;
  private final long[] profiles;
  private int slotShift;
  private int profileCount;

  ProfileColumns(int maxCount, MessageColumns columns) {
    this.columns = columns;
    slots = new int[1 << slotsLog2(maxCount)];
    profiles = new long[maxCount];
  }

  private static int slotsLog2(int directions) {
    return Math.min(MOST_SLOTS_LOG2, 2 + BitPacking.widthOf(directions));
  }

  /** Makes room for a message of so many packets. */
  void clear(int packets) {
    slotShift = Long.SIZE - slotsLog2(packets);
    Arrays.fill(slots, 0, 1 << slotsLog2(packets), FREE);
    profileCount = 0;
  }

  int profileCount() {
    return profileCount;
  }

  /** What the direction column says of a profile: 1 + its row, or 0 for the next row. */
  int code(long profile) {
    final int[] slots = this.slots;
    final int mask = (int) (-1L >>> slotShift);
    final int first = (int) ((profile * SPREAD) >>> slotShift);
    int slot = first;
    for (int step = 0; step < SLOTS_LOOKED_AT; step++) {
      slot = (first + step) & mask;
      final int entry = slots[slot];
      if (entry == FREE) {
        break;
      }
      if (profiles[entry - 1] == profile) {
        return entry;
      }
    }
    add(profile);
    slots[slot] = profileCount;
    return 0;
  }

  private void add(long profile) {
    final int row = profileCount++;
    profiles[row] = profile;
    columns.plain(PROFILE_WINDOW)[row] = Profile.window(profile);
    columns.plain(PROFILE_OVERHEAD)[row] = Profile.overhead(profile);
    columns.plain(TIME_TO_LIVE)[row] = Profile.traits(profile) & 0xff;
    columns.plain(TYPE_OF_SERVICE)[row] = Profile.traits(profile) >>> 8 & 0xff;
    columns.plain(DESCRIPTOR_HIGH)[row] = Profile.traits(profile) >>> 16;
  }
}
