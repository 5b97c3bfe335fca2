// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.flows;

/** What is done with entries whose time has come. */
@FunctionalInterface
public interface FlowWaking {
  /** Instead of a time: the entry is done with, and leaves. */
  long REMOVE = Long.MIN_VALUE;

  /**
   * Looks at an entry, which may have asked for a later time: its neighbours on a page are looked
   * at together. It must not add or remove flows; {@link FlowTable#touch} says that it changed one.
   *
   * @return when to look again at the latest, or {@link #REMOVE}
   */
  long wake(long entry);
}
