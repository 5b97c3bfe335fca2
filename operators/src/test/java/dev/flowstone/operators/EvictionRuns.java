// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.operators.ruled.RulesInForce;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;

/** The same packets with and without room for all of their flows in memory. */
@SuppressWarnings("try")
public final class EvictionRuns {
  private static final long MS = 1_000_000;
  private static final long START_NS = 1_700_000_000_000_000_000L;
  private static final int MOST_FLOWS = 6_000;
  public static final FlowRoom LARGE = FlowRoom.inMemoryAlone(2 * MOST_FLOWS);
  private static final int BLOCKS = 800;
  private static final int BLOCKS_PER_CHECKPOINT = 20;
  private static final int BLOCKS_PER_RESTART = 200;
  private static final int MOST_PACKETS = 10;

  private EvictionRuns() {}

  public static FlowRoom small(int inMemory) {
    return new FlowRoom(inMemory, MOST_FLOWS);
  }

  /** Most flows have few packets, and are silent for long in between. */
  public static List<List<SentPacket>> blocks(Random random) {
    int flows = 2_000 + random.nextInt(MOST_FLOWS - 2_000);
    List<List<SentPacket>> blocks = new ArrayList<>();
    long timeNs = START_NS;
    for (int i = 0; i < BLOCKS; i++) {
      List<SentPacket> block = new ArrayList<>();
      for (int left = random.nextInt(MOST_PACKETS); left >= 0; left--) {
        int flow = random.nextInt(1 + random.nextInt(flows));
        timeNs += random.nextLong(MS);
        long late = block.isEmpty() || random.nextInt(20) > 0 ? 0 : random.nextLong(30 * MS);
        block.add(
            new SentPacket(SentPacket.flow(flow), timeNs - late, 60 + random.nextInt(1_400), 2));
      }
      blocks.add(block);
    }
    return blocks;
  }

  /**
   * What a function tells of packets of two rules, restarted on the way.
   *
   * @param blocksPerOtherRule how rarely a block is of the first rule: pages stay in memory where
   *     flows are under both
   */
  public static <R> List<R> run(
      FlowFunction<R> function,
      FlowRoom room,
      RulesInForce rules,
      List<List<SentPacket>> blocks,
      int blocksPerOtherRule)
      throws Exception {
    long mostEvicted = 0;
    List<R> results = new ArrayList<>();
    RuledHarness<R> harness = RuledHarness.ofSwiftEviction(function, room);
    try {
      harness.open();
      for (int i = 0; i < blocks.size(); i++) {
        harness.give(blocks.get(i), rules, i % blocksPerOtherRule == 0 ? 0 : 1);
        harness.processWatermark(blocks.get(i).getFirst().timeNs() / MS - 1);
        mostEvicted = Math.max(mostEvicted, harness.flowsEvicted());
        if (i % BLOCKS_PER_CHECKPOINT == 0) {
          harness.prepareSnapshotPreBarrier(i);
          OperatorSubtaskState saved = harness.snapshot(i, i);
          if (i % BLOCKS_PER_RESTART == 0) {
            results.addAll(harness.results());
            harness.close();
            harness = RuledHarness.ofSwiftEviction(function, room);
            harness.initializeState(saved);
            harness.open();
            harness.announce(rules);
          }
        }
        results.addAll(harness.results());
        assertThat(harness.packetsWithoutRoom()).isZero();
      }
      harness.processWatermark(Long.MAX_VALUE);
      results.addAll(harness.results());
      assertThat(harness.flowCount()).isZero();
    } finally {
      harness.close();
    }
    assertThat(mostEvicted > 50).isEqualTo(room.inState() > 0);
    return results;
  }
}
