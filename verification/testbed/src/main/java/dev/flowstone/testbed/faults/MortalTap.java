// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.testbed.faults;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.flowstone.offheap.ring.RingCounters;
import dev.flowstone.offheap.ring.RingDirectory;
import dev.flowstone.offheap.ring.RingFile;
import dev.flowstone.processes.ChildOutput;
import dev.flowstone.processes.ChildProcess;
import dev.flowstone.testbed.programs.Programs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;

/**
 * A tap as a process that may die by SIGKILL and come back, and what it was offered by its own
 * books: of a tap that died, what its rings' headers said then. Its maker closes it. One thread.
 */
public final class MortalTap implements MortalProcess, AutoCloseable {
  public static final int RING_COUNT = 2;

  private static final String PROGRAM = "dev.flowstone.tap.command.TapCommand";
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final long POLL_INTERVAL_MS = 10;

  private final Path folder;
  private final String name;
  private final RingDirectory rings;
  private final Path report;
  private final List<String> arguments;

  /** Of all incarnations; a file that was replaced stays readable while it is open. */
  private final List<RingFile> files = new ArrayList<>();

  private ChildProcess process;

  /**
   * @param folder for all but the rings
   * @param what the tap is to do, and of what size its rings are to be
   */
  public MortalTap(Path folder, Path rings, List<String> what) {
    this.folder = folder;
    this.name = rings.getFileName().toString();
    this.rings = new RingDirectory(rings);
    this.report = folder.resolve(name + ".json");
    this.arguments =
        Stream.concat(
                what.stream(),
                Stream.of(
                    "--rings",
                    rings.toString(),
                    "--ring-count",
                    "" + RING_COUNT,
                    "--wait-for-reader",
                    "--when-full",
                    "drop",
                    "--report",
                    report.toString()))
            .toList();
  }

  /** Orderly packets at a rate until {@link #end}. */
  public static List<String> synthetic(int packetsPerSecond, String ringBytes) {
    return List.of(
        "synthetic",
        "--preset",
        "orderly",
        "--rate",
        "" + packetsPerSecond,
        "--flows",
        "1000",
        "--ring-bytes",
        ringBytes,
        "--stop-on-stdin-end");
  }

  public Path rings() {
    return rings.path();
  }

  /** Starts it, again if it died; returns when its rings are there. */
  public void start() throws IOException, InterruptedException {
    process =
        ChildProcess.start(
            Programs.of(folder, name, PROGRAM, arguments)
                .withJvmOptions("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"),
            ChildOutput.gatheredIn(folder));
    long deadlineNs = System.nanoTime() + LIMIT.toNanos();
    while (!hasNewRings()) {
      if (!process.isAlive() || System.nanoTime() - deadlineNs > 0) {
        throw new AssertionError("the tap made no rings:\n" + Programs.said(process));
      }
      Thread.sleep(POLL_INTERVAL_MS);
    }
    for (int ring = 0; ring < RING_COUNT; ring++) {
      files.add(RingFile.open(rings.ringFile(ring)));
    }
  }

  /** The last one is renamed last. */
  private boolean hasNewRings() {
    return Files.exists(rings.ringFile(RING_COUNT - 1))
        && (files.isEmpty() || files.getLast().isReplaced());
  }

  /** Returns when each of its rings was offered some. */
  void awaitPackets() throws InterruptedException {
    long deadlineNs = System.nanoTime() + LIMIT.toNanos();
    while (latest().stream().anyMatch(file -> file.counters().offeredPackets() == 0)) {
      assertThat(System.nanoTime() - deadlineNs).as("waiting for packets").isNegative();
      Thread.sleep(POLL_INTERVAL_MS);
    }
  }

  /** Returns when one of its rings has dropped packets. */
  void awaitDrops() throws InterruptedException {
    long deadlineNs = System.nanoTime() + LIMIT.toNanos();
    long before = dropped();
    while (dropped() == before) {
      assertThat(System.nanoTime() - deadlineNs).as("waiting for drops").isNegative();
      Thread.sleep(POLL_INTERVAL_MS);
    }
  }

  private List<RingFile> latest() {
    return files.subList(files.size() - RING_COUNT, files.size());
  }

  @Override
  public ProcessHandle handle() {
    return process.handle();
  }

  @Override
  public void startAgain() throws IOException, InterruptedException {
    start();
  }

  @Override
  public void kill() throws IOException, InterruptedException {
    assertThat(process.isAlive()).as("tap before it is killed: %s", process.errors()).isTrue();
    process.kill();
  }

  /** Returns when it has come to its end, and its books agree with those of its rings. */
  public void end() throws IOException, InterruptedException {
    process.input().close();
    Programs.requireSuccess(process, LIMIT);
    JsonNode books = new ObjectMapper().readTree(report.toFile());
    assertThat(books.get("offered").asLong())
        .as("offered by the tap's books, and by those of its latest rings")
        .isEqualTo(sum(latest()));
  }

  private static long sum(List<RingFile> files) {
    return files.stream().mapToLong(file -> file.counters().offeredPackets()).sum();
  }

  /** Packets offered to each stream, over all incarnations. */
  public Map<Long, Long> offered() {
    return byStream(RingCounters::offeredPackets);
  }

  public long dropped() {
    return byStream(RingCounters::droppedPackets).values().stream()
        .mapToLong(Long::longValue)
        .sum();
  }

  private Map<Long, Long> byStream(ToLongFunction<RingCounters> counter) {
    Map<Long, Long> sums = new TreeMap<>();
    for (RingFile file : files) {
      sums.merge(file.identity().stream(), counter.applyAsLong(file.counters()), Long::sum);
    }
    return sums;
  }

  @Override
  public void close() {
    if (process != null) {
      process.close();
    }
    files.forEach(RingFile::close);
  }
}
