// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.anomaly;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.jobs.anomaly.pane.PaneOperator;
import dev.flowstone.jobs.anomaly.pane.PanePart;
import dev.flowstone.model.FlowTuple;
import dev.flowstone.operators.ruled.RuledBlock;
import dev.flowstone.operators.ruled.RulesInForce;
import dev.flowstone.rules.function.Anomaly;
import dev.flowstone.rules.function.Detector;
import dev.flowstone.rules.function.Detector.Kind;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Random;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.OneInputStreamOperatorTestHarness;

/**
 * What it costs to look at packets, in one thread: {@code java ... DetectorCost}. Blocks of 1,024
 * packets; one of 64 is a SYN.
 */
@SuppressWarnings("try") // Its close throws whatever the operator's does.
final class DetectorCost {
  private static final int BLOCK = 1024;
  private static final int PACKETS_A_SYN = 64;
  private static final int DESTINATIONS = 200;
  private static final int RUNS = 12;
  private static final int PACKETS_OF_RUN = 40_000_000;
  private static final long START_NS = 1_700_000_000_000_000_000L;

  private DetectorCost() {}

  public static void main(String[] arguments) throws Exception {
    Detector syns = DetectorRun.detector(Kind.SYN_FLOOD, 10);
    Detector handshakes =
        new Detector(
            Kind.SYN_FLOOD,
            10,
            List.of(),
            Duration.ofSeconds(5),
            Duration.ofSeconds(5),
            Optional.empty(),
            Optional.of(30));
    Detector[] all =
        Arrays.stream(Kind.values())
            .map(kind -> DetectorRun.detector(kind, 1_000))
            .toArray(Detector[]::new);
    for (int records : new int[] {1 << 13, 1 << 20}) {
      print("syn_flood", records, syns);
      print("syn_flood with handshakes", records, handshakes);
      print("all seven", records, all);
    }
  }

  private static void print(String what, int records, Detector... detectors) throws Exception {
    List<PacketBlock> blocks = blocks(records);
    RulesInForce rules = RulesInForce.everyPacket(new Anomaly(List.of(detectors)));
    List<RuledBlock> ruled = blocks.stream().map(block -> RuledBlock.of(block, rules, 0)).toList();
    double best = Double.MAX_VALUE;
    try (var harness =
        new OneInputStreamOperatorTestHarness<RuledBlock, PanePart>(new PaneOperator())) {
      harness.setup();
      harness.getExecutionConfig().enableObjectReuse();
      harness.open();
      StreamRecord<RuledBlock> record = new StreamRecord<>(null, 0);
      for (int run = 0; run < RUNS; run++) {
        long beginNs = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
        for (int packets = 0; packets < PACKETS_OF_RUN; packets += records) {
          for (RuledBlock block : ruled) {
            harness.getOneInputOperator().processElement(record.replace(block, 0));
            harness.getOutput().clear();
          }
        }
        long tookNs = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - beginNs;
        best = Math.min(best, tookNs / (double) (PACKETS_OF_RUN / records * (long) records));
      }
    }
    System.out.printf(
        Locale.ROOT,
        "%-26s %,9d records  %6.2f ns a packet, %6.1f M packets/s%n",
        what,
        records,
        best,
        1_000 / best);
  }

  /** TCP but for a tenth of UDP; all within a second. */
  private static List<PacketBlock> blocks(int records) {
    Random random = new Random(1);
    List<PacketBlock> blocks = new ArrayList<>();
    for (int from = 0; from < records; from += BLOCK) {
      List<TestPacket> packets = new ArrayList<>();
      for (int i = 0; i < BLOCK; i++) {
        boolean isSyn = i % PACKETS_A_SYN == 0;
        int protocol = isSyn || random.nextInt(10) > 0 ? TestPacket.TCP : TestPacket.UDP;
        int flags = isSyn ? TestPacket.SYN : protocol == TestPacket.TCP ? TestPacket.ACK : 0;
        FlowTuple flow =
            FlowTuple.ipv4(
                random.nextInt(),
                0x0a000000 + random.nextInt(DESTINATIONS),
                random.nextInt(1 << 16),
                443,
                protocol);
        packets.add(new TestPacket(START_NS + from + i, 1, from + i, flow, flags, 1_000));
      }
      TestPacket.blocks(packets, blocks::add);
    }
    return blocks;
  }
}
