// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints.delivery;

import dev.flowstone.blocks.WeightedBlock;
import java.util.List;

/** What was written in the transaction under way. */
interface TransactionContents<T> {
  void add(T element);

  /** How many packets or results it holds. */
  long count();

  /** See {@link PacketTransaction#losses}. */
  List<WeightedBlock> losses();

  /** What tells of such a loss. */
  T telling(WeightedBlock loss);

  void clear();
}
