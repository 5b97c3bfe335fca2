// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.testbed.rings;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.flowstone.harness.CommittedMessages;
import dev.flowstone.harness.KafkaTopic;
import dev.flowstone.offheap.ring.RingDirectory;
import dev.flowstone.offheap.ring.RingFile;
import dev.flowstone.offheap.ring.RingLanes.Occupant;
import dev.flowstone.processes.ChildOutput;
import dev.flowstone.processes.ChildProcess;
import dev.flowstone.testbed.captures.HandMadeCapture;
import dev.flowstone.testbed.kafka.BatchLedger;
import dev.flowstone.testbed.programs.Programs;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Replays a capture of six packets again and again until it is told to end; what comes of them is
 * looked for at the other end. One thread; whoever starts it closes it.
 */
public final class ReplayedTap implements AutoCloseable {
  public static final int RING_COUNT = 2;

  /** Rings are told the time each second of it: rarely, and messages are long. */
  private static final Duration SPACING = Duration.ofMillis(1);

  private static final Duration LIMIT = Duration.ofMinutes(1);
  private static final long POLL_INTERVAL_MS = 20;

  private final Path folder;
  private final RingDirectory rings;
  private final ChildProcess process;

  private ReplayedTap(Path folder, RingDirectory rings, ChildProcess process) {
    this.folder = folder;
    this.rings = rings;
    this.process = process;
  }

  /**
   * It sends once every ring has a reader.
   *
   * @param more options of the tap
   */
  public static ReplayedTap start(Path folder, Path rings, String... more) throws Exception {
    Path capture = folder.resolve("six.pcap");
    HandMadeCapture.write(capture, SPACING);
    List<String> arguments = new ArrayList<>(List.of(more));
    arguments.addAll(
        0,
        List.of(
            "replay",
            capture.toString(),
            "--loop",
            "0",
            "--rate",
            "20k",
            "--rings",
            rings.toString(),
            "--ring-count",
            "" + RING_COUNT,
            "--ring-bytes",
            "256m",
            "--when-full",
            "drop",
            "--wait-for-reader",
            "--stop-on-stdin-end",
            "--report",
            folder.resolve("tap.json").toString()));
    return new ReplayedTap(
        folder,
        new RingDirectory(rings),
        ChildProcess.start(
            Programs.of(folder, "tap", "dev.flowstone.tap.command.TapCommand", arguments)
                .withJvmOptions("-Xmx96m", "-XX:+UseSerialGC"),
            ChildOutput.gatheredIn(folder)));
  }

  /** Returns when a job has given back space in each ring, which is what a checkpoint does. */
  public void awaitCheckpoint(ChildProcess... needed) throws Exception {
    List<Long> before = released();
    long deadlineNs = System.nanoTime() + LIMIT.toNanos();
    while (!haveAllMoved(before, released())) {
      for (ChildProcess each : needed) {
        each.requireRunning();
      }
      assertThat(System.nanoTime() - deadlineNs).as("waiting for a checkpoint").isNegative();
      Thread.sleep(POLL_INTERVAL_MS);
    }
  }

  private static boolean haveAllMoved(List<Long> before, List<Long> now) {
    return now.size() == RING_COUNT
        && Stream.iterate(0, ring -> ring + 1)
            .limit(RING_COUNT)
            .allMatch(ring -> now.get(ring) > (before.isEmpty() ? 0 : before.get(ring)));
  }

  private List<Long> released() {
    return rings.ringFiles().stream().flatMap(ReplayedTap::readers).toList();
  }

  private static Stream<Long> readers(Path file) {
    try (RingFile ring = RingFile.open(file)) {
      return ring.lanes().occupants().stream().map(Occupant::releasedPosition);
    }
  }

  /** Ends its rings; how many packets it offered. */
  public long end() throws Exception {
    process.input().close();
    Programs.requireSuccess(process, LIMIT);
    JsonNode report = new ObjectMapper().readTree(folder.resolve("tap.json").toFile());
    long offered = report.get("offered").asLong();
    assertThat(offered).isPositive().isEqualTo(sum(report, "written") + sum(report, "dropped"));
    return offered;
  }

  private static long sum(JsonNode report, String counter) {
    long sum = 0;
    for (JsonNode ring : report.get("rings")) {
      sum += ring.get(counter).asLong();
    }
    return sum;
  }

  /** Any consumer finds each packet once or is told that it is lost, and none is. */
  public static void requireBalance(KafkaTopic topic, long offered) throws Exception {
    BatchLedger ledger = new BatchLedger();
    CommittedMessages.readAll(topic, LIMIT, ledger::bookHeader);
    assertThat(ledger.faults()).isEmpty();
    assertThat(ledger.packets() + ledger.lost()).as("consumed + lost").isEqualTo(offered);
    assertThat(ledger.lost()).isZero();
  }

  @Override
  public void close() {
    process.close();
  }
}
