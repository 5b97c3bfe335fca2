// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.format;

import static dev.flowstone.model.abi.PacketRecordLayout.FRAME_LENGTH_MASK;
import static dev.flowstone.model.abi.PacketRecordLayout.TRAFFIC_CLASS_SHIFT;

/**
 * What packets of a direction repeat, in one word that is compared at once: from the lowest bit up
 * overhead (19 bits), descriptor above the frame length (13), type of service (8), time to live
 * (8), window (16).
 */
final class Profile {
  private static final int ATTRIBUTES_SHIFT = 32;
  private static final int WINDOW_SHIFT = 48;

  private Profile() {}

  /** The profile of a record, from its two last words and its payload length. */
  static long of(long windowAndPayload, long attributesAndDescriptor, int payload) {
    final int descriptor = (int) (attributesAndDescriptor >>> 32);
    final int overhead = (descriptor - payload) & FRAME_LENGTH_MASK;
    return ((windowAndPayload >>> 32) << WINDOW_SHIFT)
        | ((attributesAndDescriptor >>> 16) & 0xffff) << ATTRIBUTES_SHIFT
        | (((descriptor & ~FRAME_LENGTH_MASK) | overhead) & 0xffff_ffffL);
  }

  static int window(long profile) {
    return (int) (profile >>> WINDOW_SHIFT);
  }

  static int overhead(long profile) {
    return (int) profile & FRAME_LENGTH_MASK;
  }

  /** As the trait column counts them: time to live lowest, then type of service, then the rest. */
  static int traits(long profile) {
    final int attributes = (int) (profile >>> ATTRIBUTES_SHIFT) & 0xffff;
    return attributes >>> 8
        | (attributes & 0xff) << 8
        | (int) profile >>> TRAFFIC_CLASS_SHIFT << 16;
  }
}
