// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import dev.flowstone.harness.KafkaTopic;
import dev.flowstone.harness.ScratchFolder;
import dev.flowstone.jobs.platform.PlatformJob;
import dev.flowstone.jobs.platform.PlatformOptions;
import dev.flowstone.kafkastreams.process.SynFloodProcess;
import dev.flowstone.raw.PacketSource;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.connector.base.DeliveryGuarantee;

/**
 * How fast Kafka Streams watches for SYN floods where each packet is a message. What it costs to
 * write these is not counted.
 *
 * @param perCore packets per second of CPU time of the program and its broker
 * @param ofProgram the same of the program alone
 * @param byTheClock packets per second
 */
record KafkaStreamsRates(Windows perCore, Windows ofProgram, Windows byTheClock) {
  /** Writing the messages, and having them read. */
  static final Steps STEPS = Steps.ofUnknownLength(2);

  private static final Duration WRITE_LIMIT = Duration.ofMinutes(3);
  private static final int SHARES = 8;

  /** Until the compilers are done. */
  private static final int WARM_UP_SHARES = 3;

  /** What was read, and which time the processes had taken by then. */
  private record Moment(long packets, long programNs, long brokerNs, long timeNs) {
    static Moment of(long packets, SynFloodProcess program, KafkaPath kafka) {
      return new Moment(
          packets,
          CpuTime.ofNs(program.handle()),
          CpuTime.ofNs(kafka.process()),
          System.nanoTime());
    }

    long allNs() {
      return programNs + brokerNs;
    }
  }

  /**
   * Writes a source's packets to a broker, one in each message, and has them read.
   *
   * @param packets how many these are
   */
  static KafkaStreamsRates of(PacketSource source, long packets) throws Exception {
    try (source;
        KafkaPath kafka = KafkaPath.start();
        ScratchFolder folder = ScratchFolder.onDisk("bench")) {
      KafkaTopic messages = kafka.createTopic();
      try (FilledRings rings = FilledRings.with(source, packets)) {
        Progress.step("writing %,d messages".formatted(packets));
        write(rings.path(), messages);
      }
      Progress.step("Kafka Streams");
      try (SynFloodProcess program =
          SynFloodProcess.start(
              folder.path(),
              messages.bootstrapServers(),
              messages.name(),
              kafka.createTopic().name(),
              packets)) {
        return of(moments(program, kafka, packets));
      }
    }
  }

  private static void write(Path rings, KafkaTopic topic) throws Exception {
    PlatformOptions options = new PlatformOptions();
    options.rings.folders = List.of(rings);
    options.rings.bounded = true;
    options.kafka.bootstrapServers = topic.bootstrapServers();
    options.kafka.delivery = DeliveryGuarantee.AT_LEAST_ONCE;
    options.topic = topic.name();
    options.batches.packets = 1;
    try (FlinkRun run =
        FlinkRun.start(FilledRings.RING_COUNT, at -> PlatformJob.build(at, options))) {
      run.awaitEnd(WRITE_LIMIT);
    }
  }

  /** One at the beginning and one at the end of each share. */
  private static List<Moment> moments(SynFloodProcess program, KafkaPath kafka, long packets)
      throws IOException {
    List<Moment> moments = new ArrayList<>();
    long read = program.awaitProgress().orElseThrow(program::ended);
    while (read < packets) {
      if (moments.isEmpty() || share(read, packets) > share(moments.getLast().packets, packets)) {
        moments.add(Moment.of(read, program, kafka));
      }
      read = program.awaitProgress().orElseThrow(program::ended);
    }
    return moments;
  }

  /** The last one ends with the last packet but one: when it says all, it may be gone. */
  private static long share(long read, long packets) {
    return read * SHARES / (packets - 1);
  }

  private static KafkaStreamsRates of(List<Moment> moments) {
    List<Double> perCore = new ArrayList<>();
    List<Double> ofProgram = new ArrayList<>();
    List<Double> byTheClock = new ArrayList<>();
    // A small run is over after a look or two.
    int first = Math.min(WARM_UP_SHARES + 1, moments.size() - 1);
    for (Moment end : moments.subList(first, moments.size())) {
      Moment start = moments.get(moments.indexOf(end) - 1);
      double packets = (end.packets - start.packets) * 1e9;
      perCore.add(packets / CpuTime.betweenNs(start.allNs(), end.allNs()));
      ofProgram.add(packets / CpuTime.betweenNs(start.programNs, end.programNs));
      byTheClock.add(packets / (end.timeNs - start.timeNs));
    }
    return new KafkaStreamsRates(
        new Windows(perCore), new Windows(ofProgram), new Windows(byTheClock));
  }

  Map<String, Object> toKeys() {
    Map<String, Object> keys = new LinkedHashMap<>();
    keys.put("kafka_streams", perCore.median());
    keys.put("kafka_streams_range", perCore.range());
    keys.put("kafka_streams_without_broker", ofProgram.median());
    keys.put("kafka_streams_by_the_clock", byTheClock.median());
    return keys;
  }
}
