// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.format;

import static dev.flowstone.model.abi.PacketRecordLayout.SIZE_BYTES;

import dev.flowstone.model.PacketLoss;
import dev.flowstone.offheap.RecordPacker;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.util.SplittableRandom;

/**
 * Prints bytes per packet and nanoseconds per packet of both bodies, the columns packed in Java and
 * in C++, for a traffic mix. Run by hand.
 */
final class EncodeCost {
  private static final int PACKETS = 1 << 20;
  private static final int CHOSEN_FLOWS = 16_000;

  private EncodeCost() {}

  public static void main(String[] arguments) {
    final int flows = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 10_000;
    final double exponent = arguments.length > 1 ? Double.parseDouble(arguments[1]) : 1.0;
    try (Arena arena = Arena.ofConfined()) {
      final MemorySegment records = arena.allocate(PACKETS * SIZE_BYTES, 64);
      new TrafficMix(1, flows, exponent).fill(records, PACKETS);
      for (int count : new int[] {1024, 4096, 16384, 65535}) {
        measure("raw", new PacketBatchEncoder(BodyKind.RAW, count), records, count);
        measureColumns(records, count);
      }
      System.out.println("every packet a flow of its own: by chance, then all of one hash");
      final SplittableRandom random = new SplittableRandom(2);
      ChosenFlows.fill(records, PACKETS, flow -> random.nextInt());
      measureColumns(records, CHOSEN_FLOWS);
      ChosenFlows.fill(records, PACKETS, flow -> 0x1234_5678);
      measureColumns(records, CHOSEN_FLOWS);
    }
  }

  /** Processor time of this thread: what others do on the machine does not count. */
  private static long cpuNs() {
    return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
  }

  private static void measureColumns(MemorySegment records, int count) {
    measure("Java", new PacketBatchEncoder(BodyKind.COLUMNS, count), records, count);
    final RecordPacker packer = new RecordPacker(count);
    measure(
        "C++",
        new PacketBatchEncoder(BodyKind.COLUMNS, count, most -> packer::pack),
        records,
        count);
  }

  private static void measure(
      String name, PacketBatchEncoder encoder, MemorySegment records, int count) {
    final BatchOrigin origin =
        new BatchOrigin(0, 1, 0, TrafficMix.START_NS, true, PacketLoss.NONE, 0, 1);
    final PacketBatchDecoder decoder = new PacketBatchDecoder();
    final int messages = PACKETS / count;
    long bytes = 0;
    double bestNs = Double.MAX_VALUE;
    double bestDecodeNs = Double.MAX_VALUE;
    try (Arena arena = Arena.ofConfined()) {
      final MemorySegment target = arena.allocate(count * SIZE_BYTES, 64);
      for (int round = 0; round < 7; round++) {
        bytes = 0;
        long start = cpuNs();
        for (int i = 0; i < messages; i++) {
          bytes += encoder.encode(origin, records, (long) i * count * SIZE_BYTES, count).length;
        }
        bestNs = Math.min(bestNs, (cpuNs() - start) / ((double) messages * count));
        final byte[] message = encoder.encode(origin, records, 0, count);
        start = cpuNs();
        for (int i = 0; i < messages; i++) {
          decoder.decode(message, target);
        }
        bestDecodeNs = Math.min(bestDecodeNs, (cpuNs() - start) / ((double) messages * count));
      }
    }
    System.out.printf(
        "%-4s %6d packets: %6.2f bytes/packet, encode %5.1f ns/packet, decode %5.1f ns/packet%n",
        name, count, bytes / ((double) messages * count), bestNs, bestDecodeNs);
  }
}
