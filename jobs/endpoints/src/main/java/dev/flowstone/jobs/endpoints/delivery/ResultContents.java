// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints.delivery;

import dev.flowstone.blocks.WeightedBlock;
import java.util.List;

/** Results are counted; their readers are told of no loss. */
final class ResultContents implements TransactionContents<ResultMessage> {
  private long results;

  @Override
  public void add(ResultMessage result) {
    results++;
  }

  @Override
  public long count() {
    return results;
  }

  @Override
  public List<WeightedBlock> losses() {
    return List.of();
  }

  @Override
  public ResultMessage telling(WeightedBlock loss) {
    throw new IllegalStateException("a transaction of results tells of no packets: " + loss);
  }

  @Override
  public void clear() {
    results = 0;
  }
}
