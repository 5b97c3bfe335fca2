// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import java.io.Serializable;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.ToLongFunction;
import org.apache.flink.api.common.functions.FilterFunction;

/**
 * Adds up of how many packets results tell, by what the results are called: two jobs that do the
 * same with the same packets tell of as many. All goes on.
 */
final class ToldPackets<T> implements FilterFunction<T> {
  private static final long serialVersionUID = 1L;

  /** Of all instances in this process. */
  private static final Map<String, LongAdder> SUMS = new ConcurrentHashMap<>();

  private final String name;
  private final PacketsOf<T> packetsOf;
  private transient LongAdder sum;

  interface PacketsOf<T> extends ToLongFunction<T>, Serializable {}

  ToldPackets(String name, PacketsOf<T> packetsOf) {
    this.name = name;
    this.packetsOf = packetsOf;
  }

  /** Since this was asked last. */
  static Map<String, Long> take() {
    Map<String, Long> taken = new TreeMap<>();
    SUMS.forEach((name, sum) -> taken.put(name, sum.sumThenReset()));
    return taken;
  }

  @Override
  public boolean filter(T result) {
    if (sum == null) {
      sum = SUMS.computeIfAbsent(name, _ -> new LongAdder());
    }
    sum.add(packetsOf.applyAsLong(result));
    return true;
  }
}
