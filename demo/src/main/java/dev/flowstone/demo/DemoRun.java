// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

import dev.flowstone.broker.process.BrokerOptions;
import dev.flowstone.broker.process.BrokerProcess;
import dev.flowstone.commandline.StopSignals;
import dev.flowstone.harness.KafkaTopic;
import dev.flowstone.jobs.platform.PlatformOptions;
import dev.flowstone.offheap.Reason;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;

/**
 * The whole way on one machine: a tap and a broker as processes, Flink in this one, a consumer that
 * counts what arrives. Starts them in an order in which nothing can be missed, and stops them in
 * the order of the packets, so that the books can be closed.
 */
final class DemoRun {
  static final String TOPIC = "packets";
  private static final int NOT_BALANCED = 1;

  private final DemoOptions options;
  private final DemoFiles files;
  private final StageTable table;
  private final StopSignals signals;
  private final Ending ending;

  DemoRun(
      DemoOptions options, DemoFiles files, StageTable table, StopSignals signals, Ending ending) {
    this.options = options;
    this.files = files;
    this.table = table;
    this.signals = signals;
    this.ending = ending;
  }

  /** Runs to the end of the traffic or until told to stop; the exit status. */
  int run() throws Exception {
    table.announce(options.traffic.describe() + " -> rings -> Flink -> Kafka");
    // The broker ends last, also when something fails: Flink still has to reach it.
    try (Starting<BrokerProcess> broker = Starting.of("start of Kafka", this::startBroker)) {
      int status = carry(broker);
      return options.keep ? keep(broker.await()) : status;
    }
  }

  private int carry(Starting<BrokerProcess> broker) throws Exception {
    try (Starting<DemoFlink> flink = Starting.of("start of Flink", () -> startFlink(broker))) {
      return telling(broker, () -> carry(broker, flink));
    }
  }

  private int carry(Starting<BrokerProcess> starting, Starting<DemoFlink> flink) throws Exception {
    try (TapProcess tap = TapProcess.start(options.traffic, files.rings().path(), files.folder())) {
      return telling(
          starting,
          () -> {
            tap.awaitRings(files.rings(), options.traffic.ringCount);
            BrokerProcess broker = starting.await();
            KafkaTopic topic = topic(broker);
            watch(broker);
            topic.create(options.traffic.ringCount);
            return carry(tap, broker, topic, flink.await());
          });
    }
  }

  private static KafkaTopic topic(BrokerProcess broker) {
    return new KafkaTopic(broker.bootstrapServers(), TOPIC);
  }

  /**
   * Says what went wrong in a part before anything is closed because of it. What fails without the
   * broker fails because of it.
   */
  private <T> T telling(Starting<BrokerProcess> broker, Callable<T> part) throws Exception {
    try {
      return part.call();
    } catch (Exception | InternalError e) {
      // The watch over the broker may have woken this thread, which now has to close things.
      Thread.interrupted();
      broker.up().ifPresent(this::tellIfEnded);
      ending.because(e);
      throw e;
    }
  }

  /** Says its death at once, whatever this thread waits for then. */
  private void watch(BrokerProcess broker) {
    Thread main = Thread.currentThread();
    Thread.ofPlatform()
        .daemon()
        .name("broker-watch")
        .start(
            () -> {
              broker.handle().onExit().join();
              if (!ending.hasBegun()) {
                tellIfEnded(broker);
                main.interrupt();
              }
            });
  }

  private void tellIfEnded(BrokerProcess broker) {
    try {
      broker.requireRunning();
    } catch (IOException brokerEnded) {
      ending.because(brokerEnded);
    }
  }

  private BrokerProcess startBroker() throws IOException, InterruptedException {
    try {
      return BrokerProcess.start(
          BrokerOptions.in(files.folder().resolve("kafka"))
              .onPort(options.kafkaPort)
              .keepingBytes(MessageSize.KEPT_BYTES));
    } catch (IOException e) {
      throw new IOException("cannot start the Kafka broker: " + Reason.of(e), e);
    }
  }

  private DemoFlink startFlink(Starting<BrokerProcess> broker) throws Exception {
    return DemoFlink.start(
        options.webPort, options.traffic.ringCount, files.folder(), () -> !hasEnded(broker));
  }

  private static boolean hasEnded(Starting<BrokerProcess> broker) {
    return broker.up().map(BrokerProcess::handle).filter(process -> !process.isAlive()).isPresent();
  }

  private int carry(TapProcess tap, BrokerProcess broker, KafkaTopic topic, DemoFlink flink)
      throws Exception {
    try (RingView view = new RingView(files.rings(), options.traffic.ringCount);
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
      stages.requireFarEnd();
      boolean balanced = new ClosedBooks(stages.counters(), seconds).tell(table, options.report);
      int status = exitStatus(balanced);
      ending.with(status);
      return status;
    }
  }

  private int exitStatus(boolean balanced) {
    if (!balanced) {
      return NOT_BALANCED;
    }
    return signals.isStopping() ? signals.exitStatus() : 0;
  }

  private PlatformOptions jobOptions(KafkaTopic topic) {
    PlatformOptions job = new PlatformOptions();
    job.rings.folders = List.of(files.rings().path());
    job.kafka.bootstrapServers = topic.bootstrapServers();
    job.topic = topic.name();
    job.rings.readerName = "demo";
    job.kafka.transactionPrefix = "demo";
    job.rings.bounded = true;
    return job;
  }

  private void announce(DemoFlink flink, KafkaTopic topic) throws Exception {
    table.announce("  Flink    " + flink.webUrl());
    table.announce(
        "  Kafka    "
            + topic.bootstrapServers()
            + "  topic "
            + topic.name()
            + " (exactly once, committed each second)");
    table.announce("  rings    " + files.rings().path());
    table.announce(
        options.keep
            ? "  Ctrl-C ends the traffic and lets the rest arrive; Kafka stays up until the next one"
            : "  Ctrl-C ends the traffic, lets the rest arrive, and cleans up");
    table.announce("");
  }

  /** What arrived can be read as long as somebody wants to; the exit status. */
  private int keep(BrokerProcess broker) throws Exception {
    files.removeRings();
    ending.goOn();
    System.out.printf(
        """

        Kafka stays up until Ctrl-C; any client reads from it
          bootstrap.servers  %s
          topic              %s, %d partitions, from its beginning
          isolation.level    read_committed
          a message          flowstone.read_batch(message.value) in Python, PacketBatchDeserializer in Java
        """,
        broker.bootstrapServers(), TOPIC, options.traffic.ringCount);
    try {
      signals.awaitNext("stopping; Ctrl-C again stops at once");
      ending.with(signals.exitStatus());
      return signals.exitStatus();
    } catch (InterruptedException brokerEnded) {
      broker.requireRunning();
      throw brokerEnded;
    }
  }
}
