// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

import dev.flowstone.broker.process.BrokerOptions;
import dev.flowstone.broker.process.BrokerProcess;
import dev.flowstone.jobs.platform.PlatformOptions;
import dev.flowstone.offheap.Reason;
import dev.flowstone.offheap.ring.RingDirectory;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;

/**
 * The whole way on one machine: a tap and a broker as processes, Flink in this one, a consumer that
 * counts what arrives. Starts them in an order in which nothing can be missed, and stops them in
 * the order of the packets, so that the books can be closed.
 */
final class DemoRun {
  static final String TOPIC = "packets";
  private static final Duration REFRESH = Duration.ofSeconds(1);
  private static final long FIRST_PACKET_POLL_MS = 50;
  private static final long START_POLL_MS = 20;
  private static final Duration RINGS_LIMIT = Duration.ofSeconds(60);
  private static final Duration JOB_END_LIMIT = Duration.ofSeconds(60);

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
    try (Starting<BrokerProcess> starting = Starting.of("start-kafka", this::startBroker);
        Starting<DemoFlink> flinkStarting = Starting.of("start-flink", this::startFlink);
        TapProcess tap = TapProcess.start(options.traffic, rings.path(), folder)) {
      awaitRings(tap);
      BrokerProcess broker = starting.await();
      createTopic(broker.bootstrapServers());
      return carry(tap, flinkStarting.await(), broker);
    }
  }

  private boolean carry(TapProcess tap, DemoFlink flink, BrokerProcess broker) throws Exception {
    try (RingView view = new RingView(rings, options.traffic.ringCount);
        BatchCounter consumer =
            new BatchCounter(broker.bootstrapServers(), TOPIC, options.traffic.ringCount)) {
      flink.submit(jobOptions(broker), options.traffic.ringCount);
      consumer.start();
      announce(flink, broker);
      double seconds = watch(tap, flink, broker, view, consumer);
      tap.stop();
      tap.requireSuccess();
      awaitTheRest(tap, flink, view, consumer);
      consumer.drain();
      return close(DemoCounters.read(tap, view, consumer), seconds);
    }
  }

  /** What is under way arrives, in sight. */
  private void awaitTheRest(TapProcess tap, DemoFlink flink, RingView view, BatchCounter consumer)
      throws Exception {
    long deadlineNs = System.nanoTime() + JOB_END_LIMIT.toNanos();
    while (!flink.awaitEnd(REFRESH)) {
      if (System.nanoTime() - deadlineNs > 0) {
        throw new IOException(
            "the Flink job did not come to its end within " + JOB_END_LIMIT.toSeconds() + " s");
      }
      table.refresh(DemoCounters.read(tap, view, consumer).stages());
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
    return DemoFlink.start(
        options.webPort, options.traffic.ringCount, folder.resolve("checkpoints"));
  }

  private void createTopic(String bootstrapServers) throws Exception {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrapServers))) {
      admin
          .createTopics(List.of(new NewTopic(TOPIC, options.traffic.ringCount, (short) 1)))
          .all()
          .get();
    }
  }

  private void awaitRings(TapProcess tap) throws IOException, InterruptedException {
    long deadlineNs = System.nanoTime() + RINGS_LIMIT.toNanos();
    while (!RingView.isThere(rings, options.traffic.ringCount)) {
      tap.requireSuccess();
      if (!tap.isAlive()) {
        throw new IOException("the tap ended before it made its rings");
      }
      if (System.nanoTime() - deadlineNs > 0) {
        throw new IOException(
            "the tap made no rings within " + RINGS_LIMIT.toSeconds() + " s; is the machine busy?");
      }
      Thread.sleep(START_POLL_MS);
    }
  }

  private PlatformOptions jobOptions(BrokerProcess broker) {
    PlatformOptions job = new PlatformOptions();
    job.rings = rings.path();
    job.bootstrapServers = broker.bootstrapServers();
    job.topic = TOPIC;
    job.readerName = "demo";
    job.transactionPrefix = "demo";
    job.bounded = true;
    return job;
  }

  private void announce(DemoFlink flink, BrokerProcess broker) throws Exception {
    System.out.println("  Flink    " + flink.webUrl());
    System.out.println(
        "  Kafka    "
            + broker.bootstrapServers()
            + "  topic "
            + TOPIC
            + " (exactly once, committed each second)");
    System.out.println("  rings    " + rings.path());
    System.out.println("  Ctrl-C ends the traffic, lets the rest arrive, and cleans up");
    System.out.println();
  }

  /** Shows the counters until the traffic ends; how many seconds there was any. */
  private double watch(
      TapProcess tap, DemoFlink flink, BrokerProcess broker, RingView view, BatchCounter consumer)
      throws Exception {
    long trafficStartNs = System.nanoTime();
    boolean traffic = false;
    while (tap.isAlive() && !signals.isStopping() && flink.isRunning()) {
      tap.awaitEnd(traffic ? REFRESH.toMillis() : FIRST_PACKET_POLL_MS);
      requireAlive(broker);
      DemoCounters counters = DemoCounters.read(tap, view, consumer);
      if (!traffic && counters.offered() == 0) {
        trafficStartNs = System.nanoTime();
        continue;
      }
      traffic = true;
      table.refresh(counters.stages());
    }
    return (System.nanoTime() - trafficStartNs) / 1e9;
  }

  /** Without it the job would wait for ever, and the rings run full. */
  private static void requireAlive(BrokerProcess broker) throws IOException {
    if (!broker.handle().isAlive()) {
      throw new IOException(
          "the Kafka broker ended while packets were under way; is there room on the disk of "
              + System.getProperty("java.io.tmpdir")
              + "?");
    }
  }

  private boolean close(DemoCounters counters, double seconds) throws IOException {
    Balance balance = Balance.of(counters);
    table.finish(counters.stages(), seconds);
    System.out.printf(
        "%noffered %,d = written %,d + dropped %,d%n",
        counters.tap().offered(), counters.written(), counters.dropped());
    if (counters.tap().kernelDrops() > 0) {
      System.out.printf(
          "before that the kernel dropped %,d, which no tap saw%n", counters.tap().kernelDrops());
    }
    System.out.printf(
        "consumed %,d + lost %,d = offered %,d   (consumed and lost as read back from Kafka)%n",
        counters.consumer().packets(), counters.consumer().lost(), counters.offered());
    if (counters.batches().packetsOut() > 0) {
      System.out.printf(
          "%.1f bytes per packet in Kafka, %,d messages%n",
          (double) counters.batches().bytes() / counters.batches().packetsOut(),
          counters.batches().messages());
    }
    if (counters.offered() == 0) {
      System.out.println("no packet came");
    }
    table.say(balance, counters.restarts());
    if (options.report.isPresent()) {
      DemoReport.write(options.report.get(), counters, balance, seconds);
    }
    return balance.isRight();
  }
}
