// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.flows;

import dev.flowstone.model.FlowTuple;
import dev.flowstone.model.PacketRecord;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.util.SplittableRandom;
import java.util.function.IntUnaryOperator;

/** Prints what it costs to find a packet's flow and to count it. Run by hand. */
final class FlowTableCost {
  private static final int BLOCK = 1024;
  private static final int PACKETS = 1 << 20;
  private static final int KEY_GROUPS = 128;
  private static final int ROUNDS = 12;

  private FlowTableCost() {}

  public static void main(String[] arguments) {
    for (int flows : new int[] {10_000, 1_000_000}) {
      FlowRecords packets = traffic(flows, FlowTableCost::mixed);
      for (int stateBytes : new int[] {24, 40}) {
        measure(flows, stateBytes, packets);
      }
      System.out.print("of one flow hash, so of one key group: ");
      measure(flows, 24, traffic(flows, _ -> 7));
    }
  }

  /** Every flow once at least, then flows as chance will have it: the worst for a cache. */
  private static FlowRecords traffic(int flows, IntUnaryOperator hashOf) {
    FlowRecords packets = FlowRecords.of(PACKETS);
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < PACKETS; i++) {
      int flow = i < flows ? i : random.nextInt(flows);
      packets.write(
          i,
          FlowTuple.ipv4(flow * 0x9e3779b9, 0x0a000001, flow & 0xffff, 443, 6),
          hashOf.applyAsInt(flow));
    }
    for (int i = PACKETS - 1; i > 0; i--) {
      swap(packets.at(), i, random.nextInt(i + 1));
    }
    return inOrder(packets);
  }

  private static void swap(long[] at, int one, int other) {
    long kept = at[one];
    at[one] = at[other];
    at[other] = kept;
  }

  private static FlowRecords inOrder(FlowRecords shuffled) {
    FlowRecords packets = FlowRecords.of(PACKETS);
    for (int i = 0; i < PACKETS; i++) {
      MemorySegment.copy(shuffled.records(), shuffled.at()[i], packets.records(), i * 64L, 64);
    }
    return packets;
  }

  private static int mixed(int flow) {
    int hash = flow * 0x85ebca6b;
    return (hash ^ hash >>> 15) * 0xc2b2ae35;
  }

  private static void measure(int flows, int stateBytes, FlowRecords packets) {
    FlowTableSize size = new FlowTableSize(stateBytes, flows);
    try (FlowTable table = new FlowTable(size, 0, KEY_GROUPS, KEY_GROUPS)) {
      double best = Double.MAX_VALUE;
      double bestFind = Double.MAX_VALUE;
      for (int round = 0; round < ROUNDS; round++) {
        long find = run(table, packets, false);
        long both = run(table, packets, true);
        bestFind = Math.min(bestFind, (double) find / PACKETS);
        best = Math.min(best, (double) both / PACKETS);
      }
      System.out.printf(
          "%,9d flows of %d bytes: find %.1f ns, find and count %.1f ns per packet; %.1f MB used,"
              + " huge pages %s%n",
          table.flows(),
          size.entryBytes(),
          bestFind,
          best,
          table.usedBytes() / 1e6,
          table.isInHugePages());
    }
  }

  /** Processor time of this thread: what others do on the machine does not count. */
  private static long cpuNs() {
    return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
  }

  private static long run(FlowTable table, FlowRecords packets, boolean counting) {
    long[] at = new long[BLOCK];
    long[] entries = new long[BLOCK];
    long begin = cpuNs();
    for (int first = 0; first < PACKETS; first += BLOCK) {
      for (int i = 0; i < BLOCK; i++) {
        at[i] = (first + i) * 64L;
      }
      table.findOrAdd(packets.records(), at, BLOCK, entries);
      if (counting) {
        count(table.memory(), packets.records(), at, entries);
      }
    }
    return cpuNs() - begin;
  }

  private static void count(
      MemorySegment memory, MemorySegment records, long[] at, long[] entries) {
    for (int i = 0; i < BLOCK; i++) {
      long state = entries[i] + FlowEntry.KEY_BYTES;
      int frameLength = PacketRecord.frameLength(PacketRecord.descriptor(records, at[i]));
      add(memory, state, 1);
      add(memory, state + 8, frameLength);
      memory.set(ValueLayout.JAVA_LONG, state + 16, PacketRecord.timeLow(records, at[i]));
    }
  }

  private static void add(MemorySegment memory, long at, long value) {
    memory.set(ValueLayout.JAVA_LONG, at, memory.get(ValueLayout.JAVA_LONG, at) + value);
  }
}
