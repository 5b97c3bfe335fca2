// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

import dev.flowstone.offheap.ring.RingCounters;
import java.util.ArrayList;
import java.util.List;

/**
 * The counters of every stage at one moment, each as that stage counted it.
 *
 * @param sourceConsumed packets that the Flink source emitted
 * @param sourceLost packets it reported as lost
 * @param packed packets that went into messages
 * @param consumed packets that a Kafka consumer read back
 * @param lost losses that the messages told it of
 */
record DemoCounters(
    List<RingCounters> rings,
    List<Double> occupancy,
    long sourceConsumed,
    long sourceLost,
    long sourceBacklog,
    long packed,
    long packedBytes,
    long consumed,
    long lost,
    long batches) {

  static DemoCounters read(RingView rings, BatchCounter consumer) {
    List<Double> occupancy = new ArrayList<>();
    List<RingCounters> counters = rings.counters();
    for (int ring = 0; ring < counters.size(); ring++) {
      occupancy.add(rings.occupancy(ring));
    }
    return new DemoCounters(
        counters,
        occupancy,
        FlinkCounters.sum("packetsConsumed"),
        FlinkCounters.sum("packetsLost"),
        FlinkCounters.sum("backlogSlots"),
        FlinkCounters.sum("packetsPacked"),
        FlinkCounters.sum("bytesPacked"),
        consumer.packets(),
        consumer.lost(),
        consumer.batches());
  }

  long offered() {
    return rings.stream().mapToLong(RingCounters::offeredPackets).sum();
  }

  long written() {
    return rings.stream().mapToLong(RingCounters::writtenPackets).sum();
  }

  long dropped() {
    return rings.stream().mapToLong(RingCounters::droppedPackets).sum();
  }

  List<Stage> stages() {
    List<Stage> stages = new ArrayList<>();
    for (int ring = 0; ring < rings.size(); ring++) {
      RingCounters counters = rings.get(ring);
      stages.add(
          Stage.of("ring " + ring, counters.offeredPackets(), counters.writtenPackets())
              .dropped(counters.droppedPackets(), "ring full")
              .space(occupancy.get(ring)));
    }
    stages.add(
        Stage.of("Flink source", sourceConsumed + sourceLost, sourceConsumed)
            .queued(sourceBacklog)
            .dropped(sourceLost, "lost in ring"));
    stages.add(Stage.of("packet batches", packed, packed));
    stages.add(Stage.of("Kafka", consumed, consumed).queued(Math.max(0, packed - consumed)));
    return stages;
  }

  /** Two invariants of the whole way, each side counted on its own. */
  boolean isBalanced() {
    return offered() == written() + dropped() && consumed + lost == offered();
  }
}
