// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.model.abi;

/** What the slots of a ring hold. */
public final class RingContent {
  public static final int PACKET_RECORDS = 1;

  private RingContent() {}
}
