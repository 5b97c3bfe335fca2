// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.format.flink.PacketBatchKafkaSchema;
import dev.flowstone.offheap.ring.RingCounters;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * The counters of every stage at one moment, each as that stage counted it.
 *
 * @param occupancy share of each ring that its reader holds
 * @param restarts how often Flink started the job again; its counters began anew each time
 */
record DemoCounters(
    TapCounters tap,
    List<RingCounters> rings,
    List<Double> occupancy,
    Source source,
    FunctionCounters functions,
    Batches batches,
    Kafka kafka,
    Consumer consumer,
    ResultCounters results,
    long restarts) {
  /** Names that Flink gives to the job's operators. */
  private static final String SOURCE_OPERATOR = "Source: rings";

  private static final String SINK_OPERATOR = "Kafka: packets: Writer";

  /**
   * The Flink source.
   *
   * @param packetsIn packets that it read in the rings
   * @param packetsOut packets of the blocks that it emitted
   * @param lost losses that it told the job of
   * @param backlog slots that wait for it
   */
  record Source(long packetsIn, long packetsOut, long lost, long backlog) {}

  /**
   * Blocks become messages.
   *
   * @param packetsIn packets of the blocks
   * @param packetsOut packets that the messages say they hold
   */
  record Batches(long packetsIn, long packetsOut, long messages, long bytes) {}

  /**
   * @param messagesIn messages that Flink's writer gave to the producer
   * @param messagesOut messages that a read_committed consumer got back
   */
  record Kafka(long messagesIn, long messagesOut) {}

  /**
   * The far end.
   *
   * @param packets packets in the messages that came back
   * @param lost losses in the rings that those messages tell of
   * @param lostBeforeTap losses before the tap that they tell of
   */
  record Consumer(long packets, long lost, long lostBeforeTap) {}

  /** Against the packets' way, so that no stage seems to be ahead of the one before. */
  static DemoCounters read(TapProcess tap, RingView rings, FarEnd farEnd, boolean hasQuestDb)
      throws IOException, InterruptedException {
    ResultCounters results = ResultCounters.read(farEnd, hasQuestDb);
    BatchCounter consumer = farEnd.packets();
    Consumer atEnd = new Consumer(consumer.packets(), consumer.lost(), consumer.lostBeforeTap());
    Kafka kafka =
        new Kafka(
            FlinkCounters.ofOperator(SINK_OPERATOR, "numRecordsSend"), farEnd.packetMessages());
    Batches batches =
        new Batches(
            FlinkCounters.sum(PacketBatchKafkaSchema.PACKETS_RECEIVED),
            FlinkCounters.sum(PacketBatchKafkaSchema.PACKETS_PACKED),
            FlinkCounters.sum(PacketBatchKafkaSchema.BATCHES_PACKED),
            FlinkCounters.sum(PacketBatchKafkaSchema.BYTES_PACKED));
    FunctionCounters functions = FunctionCounters.read();
    Source source =
        new Source(
            FlinkCounters.ofOperator(SOURCE_OPERATOR, "numBytesIn") / PacketBlock.RECORD_BYTES,
            FlinkCounters.sum("packetsConsumed"),
            FlinkCounters.sum("packetsLost"),
            FlinkCounters.sum("backlogSlots"));
    List<Double> occupancies = rings.occupancies();
    List<RingCounters> ringCounters = rings.counters();
    return new DemoCounters(
        tap.ask(),
        ringCounters,
        occupancies,
        source,
        functions,
        batches,
        kafka,
        atEnd,
        results,
        FlinkCounters.sum("numRestarts"));
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
    stages.add(tap.stage());
    for (int ring = 0; ring < rings.size(); ring++) {
      RingCounters counters = rings.get(ring);
      stages.add(
          Stage.of("ring " + ring, counters.offeredPackets(), counters.writtenPackets())
              .dropped(List.of(new Stage.Drop("ring full", counters.droppedPackets())))
              .space(occupancy.get(ring))
              .detail());
    }
    stages.add(
        Stage.of("Flink source", source.packetsIn(), source.packetsOut())
            .queued(source.backlog())
            .dropped(List.of(new Stage.Drop("lost in ring", source.lost()))));
    long ruled = functions.packetsIn() - functions.dropped();
    stages.add(
        Stage.of("rules", functions.packetsIn(), ruled)
            .dropped(List.of(new Stage.Drop("by rule", functions.dropped()))));
    functions.functions().forEach(function -> stages.add(function.stage()));
    stages.add(Stage.of("packet batches", batches.packetsIn(), batches.packetsOut()).detail());
    stages.add(Stage.of("Kafka messages", kafka.messagesIn(), kafka.messagesOut()).detail());
    stages.add(
        Stage.end("consumer", consumer.packets())
            .dropped(List.of(new Stage.Drop("told as lost", consumer.lost()))));
    stages.add(Stage.of("results", results.sent(), results.messagesBack()));
    results
        .toQuestDb()
        .ifPresent(sent -> stages.add(Stage.of("QuestDB", sent, results.inQuestDb()).detail()));
    return stages;
  }
}
