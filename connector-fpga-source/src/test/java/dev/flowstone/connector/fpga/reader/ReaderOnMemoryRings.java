// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.reader;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.connector.fpga.FpgaSource;
import dev.flowstone.connector.fpga.FpgaSourceBuilder;
import dev.flowstone.connector.fpga.ReleaseMode;
import dev.flowstone.connector.fpga.TestTap;
import dev.flowstone.connector.fpga.enumerator.AllReadersDoneEvent;
import dev.flowstone.connector.fpga.rings.MemoryRing;
import dev.flowstone.connector.fpga.rings.MemoryRings;
import dev.flowstone.connector.fpga.split.RingSplit;
import dev.flowstone.offheap.ring.RingStart;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.connector.testutils.source.reader.TestingReaderContext;
import org.apache.flink.core.io.InputStatus;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.runtime.metrics.groups.InternalSourceReaderMetricGroup;
import org.junit.jupiter.api.AfterEach;

/** Readers of rings in memory, and what comes out of them. They are closed after each test. */
abstract class ReaderOnMemoryRings {
  static final long START_MS = TestTap.START_NS / 1_000_000;
  static final int SLOTS_LOG2 = 10;

  /** Longer than the pauses between any two polls for rings. */
  static final long STEP_NS = TimeUnit.MILLISECONDS.toNanos(110);

  private static final int MAX_STEPS = 100;

  final MemoryRings rings = new MemoryRings(2);
  private final Map<String, List<Counter>> counters = new HashMap<>();
  final List<String> metricGroups = new ArrayList<>();
  final TestingReaderContext context =
      new TestingReaderContext(
          new Configuration(),
          InternalSourceReaderMetricGroup.mock(new NamedGroups(metricGroups, counters)));
  final RecordingOutput output = new RecordingOutput();
  final FpgaSourceBuilder options =
      FpgaSource.builder()
          .ringDirectory(Path.of(MemoryRings.DIRECTORY))
          .idleTimeout(Duration.ofHours(1))
          .verifyKeyGroups(false);

  private final List<RingSourceReader<PacketBlock>> readers = new ArrayList<>();
  private long nowNs = TimeUnit.HOURS.toNanos(1);

  /** What an idle reader waits for. */
  CompletableFuture<Void> timer;

  @AfterEach
  void closeReaders() {
    readers.forEach(RingSourceReader::close);
  }

  /** Remembers the groups below it, and their counters. */
  private static final class NamedGroups extends UnregisteredMetricsGroup {
    private final List<String> names;
    private final Map<String, List<Counter>> counters;

    NamedGroups(List<String> names, Map<String, List<Counter>> counters) {
      this.names = names;
      this.counters = counters;
    }

    @Override
    public MetricGroup addGroup(String key, String value) {
      names.add(key + "." + value);
      return this;
    }

    @Override
    public <C extends Counter> C counter(String name, C counter) {
      counters.computeIfAbsent(name, _ -> new ArrayList<>()).add(counter);
      return counter;
    }
  }

  /** The sum of all rings' counters of that name. */
  long counted(String counter) {
    return counters.getOrDefault(counter, List.of()).stream().mapToLong(Counter::getCount).sum();
  }

  RingSourceReader<PacketBlock> reader() {
    return reader(true);
  }

  RingSourceReader<PacketBlock> reader(boolean checkpointing) {
    return reader(checkpointing, PacketBlockEmitter::new);
  }

  RingSourceReader<PacketBlock> reader(
      boolean checkpointing, RunEmitter.Factory<PacketBlock> emitters) {
    return reader(checkpointing, new JobFacts.Subtask(0, 1, MemoryRing.KEY_GROUPS), emitters);
  }

  RingSourceReader<PacketBlock> reader(
      boolean checkpointing, JobFacts.Subtask subtask, RunEmitter.Factory<PacketBlock> emitters) {
    JobFacts job = new JobFacts(checkpointing, Optional.of(subtask), Optional.empty());
    RingSourceReader<PacketBlock> reader =
        new RingSourceReader<>(context, rings, options.build().options(), job, emitters, clock());
    readers.add(reader);
    reader.start();
    return reader;
  }

  /** The clock of this test's readers, which stands still until the test steps it. */
  private ReaderClock clock() {
    return new ReaderClock(
        () -> nowNs,
        _ -> {
          timer = new CompletableFuture<>();
          return timer;
        },
        TimeUnit.MILLISECONDS.toNanos(1));
  }

  void step(long durationNs) {
    nowNs += durationNs;
  }

  /** One ring's follower, whose time the test tells. */
  RingFollower<PacketBlock> follower(RingSplit split, ReleaseMode release) {
    JobFacts job = new JobFacts(true, Optional.empty(), Optional.empty());
    List<String> directories = List.of(MemoryRings.DIRECTORY);
    return new RingFollower<>(
        split,
        rings,
        options.build().options(),
        release,
        job,
        new PacketBlockEmitter(split.stream()),
        new SignsOfLife(ReaderClock.HOST.heartbeatNs()),
        new RingMetrics(context.metricGroup(), split, directories, false));
  }

  /** A reader that has read what there is. */
  RingSourceReader<PacketBlock> readerOf(RingSplit... splits) {
    RingSourceReader<PacketBlock> reader = reader();
    reader.addSplits(List.of(splits));
    drain(reader);
    return reader;
  }

  /** What a reader remembers that has read what there is, and is closed. */
  RingSplit readAndStop(RingSplit split) {
    RingSourceReader<PacketBlock> reader = readerOf(split);
    RingSplit remembered = snapshot(reader, 1);
    reader.close();
    return remembered;
  }

  MemoryRing ring(int ring) {
    MemoryRing started = rings.start(ring, SLOTS_LOG2);
    started.tellTime(TestTap.START_NS);
    return started;
  }

  static RingSplit split(int ring) {
    return new RingSplit(MemoryRings.stream(ring), MemoryRings.name(ring), 2, RingStart.OLDEST);
  }

  /** No more rings will come, and nobody else reads any. */
  static void letEnd(RingSourceReader<PacketBlock> reader) {
    reader.notifyNoMoreSplits();
    reader.handleSourceEvents(new AllReadersDoneEvent());
  }

  InputStatus drain(RingSourceReader<PacketBlock> reader) {
    InputStatus status = InputStatus.MORE_AVAILABLE;
    while (status == InputStatus.MORE_AVAILABLE) {
      status = reader.pollNext(output);
    }
    return status;
  }

  /** Polls and lets time pass, until the condition holds. */
  void pollUntil(RingSourceReader<PacketBlock> reader, BooleanSupplier condition) {
    for (int steps = 0; !condition.getAsBoolean(); steps++) {
      assertThat(steps).as("polls without success").isLessThan(MAX_STEPS);
      drain(reader);
      step(STEP_NS);
    }
  }

  /** Waits for heartbeats of a reader, which come from a thread of its own. */
  static void awaitHeartbeats(MemoryRing ring, int count) throws InterruptedException {
    long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    int before = ring.signsOfLife();
    while (ring.signsOfLife() < before + count) {
      assertThat(System.nanoTime()).as("no heartbeat").isLessThan(deadlineNs);
      Thread.sleep(1);
    }
  }

  RingSplit snapshot(RingSourceReader<PacketBlock> reader, long checkpointId) {
    return reader.snapshotState(checkpointId).getFirst();
  }
}
