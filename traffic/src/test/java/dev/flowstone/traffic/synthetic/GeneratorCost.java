// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.traffic.synthetic;

import dev.flowstone.raw.RawPacketBatch;
import java.lang.management.ManagementFactory;
import java.util.Arrays;

/**
 * Prints nanoseconds of processor time per generated packet for numbers of flows. Run by hand:
 * {@code GeneratorCost [flows...]}.
 */
final class GeneratorCost {
  private static final int[] FLOWS = {100, 1_000, 11_000, 100_000};
  private static final int ROUNDS = 12;
  private static final int PACKETS_PER_ROUND = 4_000_000;

  private GeneratorCost() {}

  public static void main(String[] arguments) {
    int[] asked = Arrays.stream(arguments).mapToInt(Integer::parseInt).toArray();
    for (int flows : asked.length > 0 ? asked : FLOWS) {
      measure(SyntheticOptions.defaults().withFlows(flows));
    }
  }

  /** Processor time of this thread: what others do on the machine does not count. */
  private static long cpuNs() {
    return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
  }

  private static void measure(SyntheticOptions options) {
    double[] packetNs = new double[ROUNDS];
    try (SyntheticSource source = new SyntheticSource(options);
        RawPacketBatch batch = new RawPacketBatch(RawPacketBatch.DEFAULT_CAPACITY)) {
      for (int round = 0; round < ROUNDS; round++) {
        long start = cpuNs();
        int packets = 0;
        while (packets < PACKETS_PER_ROUND) {
          packets += source.fill(batch);
        }
        packetNs[round] = (cpuNs() - start) / (double) packets;
      }
    }
    Arrays.sort(packetNs);
    System.out.printf(
        "%7d flows: best %5.1f, median %5.1f ns/packet%n",
        options.flows(), packetNs[0], packetNs[ROUNDS / 2]);
  }
}
