// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.testbed.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.harness.CommittedMessages;
import dev.flowstone.harness.KafkaTopic;
import dev.flowstone.harness.ScratchFolder;
import dev.flowstone.jobs.platform.PlatformOptions;
import dev.flowstone.testbed.captures.SteppedCapture;
import dev.flowstone.testbed.kafka.BatchLedger;
import dev.flowstone.testbed.kafka.TransactionWatch;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Random;
import java.util.TreeMap;
import org.apache.kafka.clients.admin.TransactionState;

/**
 * Taps, a job and a topic of their own at a broker, for one fault: first what is needed is named,
 * then it begins, is hit, and comes to its end. Its maker closes it. One thread.
 */
public final class FaultScene implements AutoCloseable {
  private static final Duration LIMIT = Duration.ofMinutes(2);
  private static final long POLL_INTERVAL_MS = 20;

  private final Path folder;
  private final MortalBroker broker;
  private final int strikes;
  private final Duration outage;
  private final Random random;
  private final KafkaTopic topic;
  private final PlatformOptions options = new PlatformOptions();
  private final ScratchFolder memory = ScratchFolder.inMemory("end-to-end");
  private final List<MortalTap> taps = new ArrayList<>();

  /** What is to be done in the end, last things first. */
  private final Deque<Runnable> closings = new ArrayDeque<>();

  private Path checkpoints;
  private OptionalLong timeSumNs = OptionalLong.empty();
  private CommittedMessages messages;
  private SubmittedJob job;
  private KilledJob jobProcess;
  private FlinkProcesses cluster;
  private SmallDisk disk;

  /**
   * @param name of the topic and of what the job is known by
   * @param strikes how often the fault will come
   * @param outage how long what dies is away
   */
  public FaultScene(
      Path folder, String name, MortalBroker broker, int strikes, Duration outage, Random random)
      throws Exception {
    closings.push(memory::close);
    this.folder = Files.createDirectories(folder);
    this.broker = broker;
    this.strikes = strikes;
    this.outage = outage;
    this.random = random;
    this.topic = new KafkaTopic(broker.bootstrapServers(), name);
    this.checkpoints = folder.resolve("checkpoints");
    Saboteur.reset();
    options.kafka.bootstrapServers = broker.bootstrapServers();
    options.topic = name;
    options.kafka.transactionPrefix = name;
  }

  /** There is a tap that does this. */
  void addTap(List<String> what) {
    Path rings = memory.path().resolve("tap-" + taps.size());
    MortalTap tap = new MortalTap(folder, rings, what);
    closings.push(tap::close);
    taps.add(tap);
  }

  /** There is one that replays a capture whose clock goes forth, and then back, at each strike. */
  void addTapOfSteppedCapture(int packetsPerSecond) throws Exception {
    Path capture = folder.resolve("stepped.pcap");
    timeSumNs = OptionalLong.of(SteppedCapture.write(capture, 2 * strikes, random));
    addTap(List.of("replay", capture.toString(), "--rate", "" + packetsPerSecond));
  }

  /** The job keeps its checkpoints on a disk that may be full. */
  void keepCheckpointsOnSmallDisk() throws Exception {
    disk = SmallDisk.mount(checkpoints);
    closings.push(disk::close);
  }

  /** The job is a process of its own, which nobody restarts. */
  void runJobAsProcess() {
    jobProcess = new KilledJob(folder, taps.getFirst().rings(), topic);
    closings.push(jobProcess::close);
  }

  /** The job runs on TaskManagers of their own. */
  void runJobOnCluster(int taskManagers) throws Exception {
    cluster = FlinkProcesses.start(folder.resolve("cluster"), taskManagers);
    closings.push(cluster::close);
  }

  /** Returns when packets arrive. */
  public void begin() throws Exception {
    topic.create(MortalTap.RING_COUNT);
    messages = new CommittedMessages(topic);
    closings.push(messages::close);
    for (MortalTap tap : taps) {
      tap.start();
    }
    if (jobProcess != null) {
      jobProcess.start();
    } else {
      job =
          new SubmittedJob(
              options,
              taps.stream().map(MortalTap::rings).toList(),
              checkpoints,
              folder.resolve("savepoints"));
      closings.push(job::close);
      if (cluster == null) {
        job.start(1);
      } else {
        job.start(MortalTap.RING_COUNT, cluster);
      }
    }
    awaitCommitBeyond(0);
  }

  /** Returns when more is committed than there is. */
  void awaitCommit() throws Exception {
    awaitCommitBeyond(committed());
  }

  private void awaitCommitBeyond(long former) throws InterruptedException {
    long deadlineNs = System.nanoTime() + LIMIT.toNanos();
    while (committed() <= former) {
      if (System.nanoTime() > deadlineNs) {
        throw new AssertionError(
            "nothing is committed; open transactions: " + messages.openTransactions());
      }
      Thread.sleep(POLL_INTERVAL_MS);
    }
  }

  private long committed() {
    return messages.committedEnds().values().stream().mapToLong(Long::longValue).sum();
  }

  /** A moment that nobody chose. */
  public void pause() throws InterruptedException {
    Thread.sleep(random.nextInt(1_000));
  }

  /** Nothing comes back before that. */
  void waitOutage() throws InterruptedException {
    Thread.sleep(outage);
  }

  /** Returns when the saboteur did what it was told. */
  void awaitSabotage() throws InterruptedException {
    long deadlineNs = System.nanoTime() + LIMIT.toNanos();
    while (!Saboteur.isDone()) {
      assertThat(System.nanoTime()).as("waiting for the saboteur").isLessThan(deadlineNs);
      Thread.sleep(POLL_INTERVAL_MS);
    }
  }

  /** Returns when Kafka knows of none that this job may still commit. */
  void awaitNoTransaction() throws Exception {
    new TransactionWatch(broker.bootstrapServers())
        .await(
            listed ->
                listed.stream()
                    .filter(one -> one.transactionalId().startsWith(topic.name()))
                    .noneMatch(one -> one.state() == TransactionState.ONGOING));
  }

  /** The taps end, and the job with them. */
  public void end() throws Exception {
    for (MortalTap tap : taps) {
      tap.end();
    }
    if (jobProcess != null) {
      jobProcess.finish(LIMIT);
    } else {
      job.finish();
    }
  }

  /** What Kafka gives to any consumer. */
  public BatchLedger readBack() throws Exception {
    BatchLedger ledger = new BatchLedger(timeSumNs.isPresent());
    CommittedMessages.readAll(topic, LIMIT, ledger::book);
    return ledger;
  }

  /** By the taps' own books, for each stream. */
  public Map<Long, Long> offered() {
    Map<Long, Long> offered = new TreeMap<>();
    taps.forEach(tap -> offered.putAll(tap.offered()));
    return offered;
  }

  long dropped() {
    return taps.stream().mapToLong(MortalTap::dropped).sum();
  }

  PlatformOptions options() {
    return options;
  }

  MortalBroker broker() {
    return broker;
  }

  MortalTap tap(int index) {
    return taps.get(index);
  }

  SubmittedJob job() {
    return job;
  }

  KilledJob jobProcess() {
    return jobProcess;
  }

  FlinkProcesses cluster() {
    return cluster;
  }

  SmallDisk disk() {
    return disk;
  }

  Checkpoints checkpoints() {
    return new Checkpoints(checkpoints);
  }

  /** Of the packets' times, where they are known. */
  OptionalLong timeSumNs() {
    return timeSumNs;
  }

  @Override
  public void close() {
    if (!closings.isEmpty()) {
      try {
        closings.pop().run();
      } finally {
        close();
      }
    }
  }
}
