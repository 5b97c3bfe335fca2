// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import org.apache.flink.api.common.functions.AggregateFunction;

/** How many elements a window has. */
final class Count<T> implements AggregateFunction<T, Long, Long> {
  private static final long serialVersionUID = 1L;

  @Override
  public Long createAccumulator() {
    return 0L;
  }

  @Override
  public Long add(T element, Long count) {
    return count + 1;
  }

  @Override
  public Long getResult(Long count) {
    return count;
  }

  @Override
  public Long merge(Long one, Long other) {
    return one + other;
  }
}
