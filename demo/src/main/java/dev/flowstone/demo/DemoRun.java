// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

import dev.flowstone.broker.process.BrokerOptions;
import dev.flowstone.broker.process.BrokerProcess;
import dev.flowstone.harness.KafkaTopic;
import dev.flowstone.jobs.platform.PlatformOptions;
import dev.flowstone.offheap.Reason;
import dev.flowstone.offheap.ring.RingDirectory;
import java.io.IOException;
import java.nio.file.Path;

/**
 * The whole way on one machine: a tap and a broker as processes, Flink in this one, a consumer that
 * counts what arrives. Starts them in an order in which nothing can be missed, and stops them in
 * the order of the packets, so that the books can be closed.
 */
final class DemoRun {
  static final String TOPIC = "packets";

  /**
   * The broker keeps that much of each ring's packets, so that a demo left running fills no disk.
   */
  private static final long KEPT_BYTES = 2L << 30;

  private final DemoOptions options;
  private final Path folder;
  private final RingDirectory rings;
  private final StageTable table;
  private final StopSignals signals;

  DemoRun(
      DemoOptions options,
      Path folder,
      RingDirectory rings,
      StageTable table,
      StopSignals signals) {
    this.options = options;
    this.folder = folder;
    this.rings = rings;
    this.table = table;
    this.signals = signals;
  }

  /**
   * Runs to the end of the traffic or until told to stop; whether every packet is accounted for.
   */
  boolean run() throws Exception {
    System.out.println(options.traffic.describe() + " -> rings -> Flink -> Kafka");
    // The broker ends last, also when something fails: Flink still has to reach it.
    try (Starting<BrokerProcess> broker = Starting.of("start-kafka", this::startBroker);
        Starting<DemoFlink> flink = Starting.of("start-flink", this::startFlink);
        TapProcess tap = TapProcess.start(options.traffic, rings.path(), folder)) {
      tap.awaitRings(rings, options.traffic.ringCount);
      KafkaTopic topic = new KafkaTopic(broker.await().bootstrapServers(), TOPIC);
      try {
        topic.create(options.traffic.ringCount);
        return carry(tap, broker.await(), topic, flink.await());
      } catch (Exception e) {
        // What fails without it fails because of it.
        broker.await().requireRunning();
        throw e;
      }
    }
  }

  private BrokerProcess startBroker() throws IOException, InterruptedException {
    try {
      return BrokerProcess.start(
          BrokerOptions.in(folder.resolve("kafka"))
              .onPort(options.kafkaPort)
              .keepingBytes(KEPT_BYTES));
    } catch (IOException e) {
      throw new IOException("cannot start the Kafka broker: " + Reason.of(e), e);
    }
  }

  private DemoFlink startFlink() throws Exception {
    return DemoFlink.start(options.webPort, options.traffic.ringCount, folder);
  }

  private boolean carry(TapProcess tap, BrokerProcess broker, KafkaTopic topic, DemoFlink flink)
      throws Exception {
    try (RingView view = new RingView(rings, options.traffic.ringCount);
        BatchCounter consumer = new BatchCounter(topic)) {
      flink.submit(jobOptions(topic), options.traffic.ringCount);
      consumer.start();
      announce(flink, topic);
      Stages stages = new Stages(tap, view, flink, broker, consumer);
      StageWatch watch = new StageWatch(stages, table);
      double seconds = watch.showTraffic(signals);
      tap.stop();
      tap.requireSuccess();
      watch.showTheRest();
      consumer.drain();
      stages.requireBroker();
      return new ClosedBooks(stages.counters(), seconds).tell(table, options.report);
    }
  }

  private PlatformOptions jobOptions(KafkaTopic topic) {
    PlatformOptions job = new PlatformOptions();
    job.rings = rings.path();
    job.bootstrapServers = topic.bootstrapServers();
    job.topic = topic.name();
    job.readerName = "demo";
    job.transactionPrefix = "demo";
    job.bounded = true;
    return job;
  }

  private void announce(DemoFlink flink, KafkaTopic topic) throws Exception {
    System.out.println("  Flink    " + flink.webUrl());
    System.out.println(
        "  Kafka    "
            + topic.bootstrapServers()
            + "  topic "
            + topic.name()
            + " (exactly once, committed each second)");
    System.out.println("  rings    " + rings.path());
    System.out.println("  Ctrl-C ends the traffic, lets the rest arrive, and cleans up");
    System.out.println();
  }
}
