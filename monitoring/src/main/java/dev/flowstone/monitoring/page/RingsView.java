// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.monitoring.page;

import java.util.List;

/**
 * Ring files as their headers tell.
 *
 * @param problems what cannot be read, and why
 */
record RingsView(List<Ring> rings, List<String> problems) {

  /**
   * @param held slots that readers hold, which nothing may be written into
   * @param isEnded no packet will come any more
   */
  record Ring(
      String file,
      int ring,
      String tap,
      Count offered,
      Count written,
      Count dropped,
      Count lostBeforeTap,
      long slots,
      long held,
      boolean isEnded,
      List<Reader> readers) {}

  /**
   * @param lagSlots how far it is behind the tap; of one that holds space
   */
  record Reader(
      String name, String mode, String state, long silentMs, boolean holdsSpace, long lagSlots) {}
}
