// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

import dev.flowstone.broker.process.BrokerOptions;
import dev.flowstone.broker.process.BrokerProcess;
import dev.flowstone.commandline.StopSignals;
import dev.flowstone.harness.DemoAddresses;
import dev.flowstone.harness.JobNews;
import dev.flowstone.harness.KafkaTopic;
import dev.flowstone.jobs.platform.PlatformOptions;
import dev.flowstone.monitoring.page.PageServer;
import dev.flowstone.offheap.Reason;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;

/**
 * The whole way on one machine: a tap and a broker as processes, Flink in this one, a consumer that
 * counts what arrives. Starts them in an order in which nothing can be missed, and stops them in
 * the order of the packets, so that the books can be closed.
 */
final class DemoRun {
  static final String TOPIC = "packets";
  static final String RESULTS_TOPIC = "results";
  static final int RESULTS_PARTITIONS = 1;

  /** Each takes memory in either table of flows, whether there is a packet of it or not. */
  private static final int MOST_FLOWS = 1 << 17;

  /** The demo asks its stages itself; tables and pictures have them from the results. */
  private static final Duration STAGES_INTERVAL = Duration.ofSeconds(1);

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
    // Where results go ends last, also when something fails: Flink still has to reach it.
    try (Starting<BrokerProcess> broker = Starting.of("start of Kafka", this::startBroker);
        Starting<ResultStore> store = Starting.of("start of QuestDB", this::startStore);
        Starting<DemoFlink> flink = Starting.of("start of Flink", () -> startFlink(broker));
        PageServer page = DemoPage.bind(options.pagePort)) {
      return telling(
          broker,
          () -> {
            int status = carry(broker, store, flink, page);
            return options.keep ? keep(broker.await(), store.await()) : status;
          });
    }
  }

  private int carry(
      Starting<BrokerProcess> starting,
      Starting<ResultStore> store,
      Starting<DemoFlink> flink,
      PageServer page)
      throws Exception {
    try (TapProcess tap = TapProcess.start(options.traffic, files.rings().path(), files.folder())) {
      return telling(
          starting,
          () -> {
            tap.awaitRings(files.rings(), options.traffic.ringCount);
            BrokerProcess broker = starting.await();
            watch(broker);
            topic(broker, TOPIC).create(options.traffic.ringCount);
            topic(broker, RESULTS_TOPIC).create(RESULTS_PARTITIONS);
            return carry(tap, broker, store.await(), flink.await(), page);
          });
    }
  }

  private static KafkaTopic topic(BrokerProcess broker, String name) {
    return new KafkaTopic(broker.bootstrapServers(), name);
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

  private ResultStore startStore() throws IOException, InterruptedException {
    return options.noQuestDb ? ResultStore.none() : ResultStore.start(files.folder());
  }

  private DemoFlink startFlink(Starting<BrokerProcess> broker) throws Exception {
    return DemoFlink.start(
        options.webPort, options.traffic.ringCount, files.folder(), () -> !hasEnded(broker));
  }

  private static boolean hasEnded(Starting<BrokerProcess> broker) {
    return broker.up().map(BrokerProcess::handle).filter(process -> !process.isAlive()).isPresent();
  }

  private int carry(
      TapProcess tap, BrokerProcess broker, ResultStore store, DemoFlink flink, PageServer page)
      throws Exception {
    try (RingView view = new RingView(files.rings(), options.traffic.ringCount);
        FarEnd farEnd = new FarEnd(topic(broker, TOPIC), topic(broker, RESULTS_TOPIC))) {
      PlatformOptions job = jobOptions(broker, store);
      flink.submit(job, options.traffic.ringCount);
      farEnd.start();
      DemoAddresses addresses = addresses(flink, job, store);
      page.start(DemoPage.places(addresses, job.rules.file));
      announce(page, flink, job);
      files.announce(addresses);
      Stages stages = new Stages(tap, view, flink, broker, store, farEnd);
      Panels panels = new Panels(new RulesPanel(job.rules.file), farEnd.findings());
      StageWatch watch = new StageWatch(stages, table, panels, JobNews.listen());
      double seconds = watch.showTraffic(signals);
      tap.stop();
      tap.requireSuccess();
      watch.showTheRest();
      farEnd.drain();
      stages.requireFarEnd();
      boolean balanced =
          new ClosedBooks(stages.counters(), farEnd.findings(), seconds)
              .tell(table, options.report);
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

  private PlatformOptions jobOptions(BrokerProcess broker, ResultStore store) throws IOException {
    PlatformOptions job = new PlatformOptions();
    // Results name it as Flink does.
    job.name = DemoFlink.JOB_NAME;
    job.rings.folders = List.of(files.rings().path());
    job.rings.readerName = "demo";
    job.rings.bounded = true;
    job.rules.file = DemoRules.file(options.rules, files.folder());
    DemoGrants grants = DemoGrants.make(files.folder());
    job.keys.files = grants.keys();
    job.functions = grants.functions();
    job.flows.mostFlows = MOST_FLOWS;
    job.stages.interval = STAGES_INTERVAL;
    job.topic = TOPIC;
    job.resultsTopic = RESULTS_TOPIC;
    job.kafka.bootstrapServers = broker.bootstrapServers();
    job.kafka.transactionPrefix = "demo";
    job.questDb.address = store.address().orElse(null);
    return job;
  }

  private void announce(PageServer page, DemoFlink flink, PlatformOptions job) throws Exception {
    table.announce("  Page     " + page.url());
    table.announce("  Flink    " + flink.webUrl());
    table.announce(
        "  Kafka    %s  topics %s, %s (exactly once, committed each second)"
            .formatted(job.kafka.bootstrapServers, TOPIC, RESULTS_TOPIC));
    if (job.questDb.isGiven()) {
      table.announce(
          "  QuestDB  "
              + job.questDb.address
              + "  a table for each kind of result, all of them kept");
    }
    table.announce("  rules    " + job.rules.file + "  which may change while this runs");
    table.announce("  rings    " + files.rings().path());
    table.announce("  SQL      ./flowstone sql");
    table.announce(
        options.keep
            ? "  Ctrl-C ends the traffic and lets the rest arrive; what it found stays until the next one"
            : "  Ctrl-C ends the traffic, lets the rest arrive, and cleans up");
    table.announce("");
  }

  private DemoAddresses addresses(DemoFlink flink, PlatformOptions job, ResultStore store)
      throws Exception {
    return new DemoAddresses(
        ProcessHandle.current().pid(),
        flink.webUrl(),
        job.kafka.bootstrapServers,
        job.topic,
        job.resultsTopic,
        store.address().map(URI::toString).orElse(null),
        store.sqlAddress().orElse(null),
        files.rings().path().toString());
  }

  /** What arrived can be read as long as somebody wants to; the exit status. */
  private int keep(BrokerProcess broker, ResultStore store) throws Exception {
    ending.goOn();
    System.out.printf(
        """

        All stays up until Ctrl-C; ./flowstone sql asks it, and any client reads from Kafka
          bootstrap.servers  %s
          topic              %s, %d partitions, from its beginning
          isolation.level    read_committed
          a message          flowstone.read_batch(message.value) in Python,
                             PacketBatchDeserializer in Java
          results            topic %s, JSON
        """,
        broker.bootstrapServers(), TOPIC, options.traffic.ringCount, RESULTS_TOPIC);
    store
        .address()
        .ifPresent(address -> System.out.println("                     QuestDB " + address));
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
