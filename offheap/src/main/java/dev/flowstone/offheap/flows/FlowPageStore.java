// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.flows;

/**
 * Where the pages of a {@link FlowTable} are that have left its memory: whatever holds them in
 * state. Pages have the names of {@link FlowTablePages}.
 */
public interface FlowPageStore {
  /**
   * Reads a page as it was saved last.
   *
   * @param content takes all of it
   */
  void read(int group, int number, byte[] content);

  /** Saves a page as it is in memory now. */
  void save(int group, int number);

  /** Whether a page more may be saved now, while packets wait for it. */
  boolean hasTimeToSave();
}
