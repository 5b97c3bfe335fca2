// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.broker.process.SharedBroker;
import dev.flowstone.harness.KafkaTopic;
import dev.flowstone.harness.ScratchFolder;
import dev.flowstone.processes.ChildOutput;
import dev.flowstone.processes.ChildProcess;
import dev.flowstone.testbed.faults.LossyHop;
import dev.flowstone.testbed.flink.PacketsJob;
import dev.flowstone.testbed.kafka.ReadSample;
import dev.flowstone.testbed.programs.Programs;
import dev.flowstone.testbed.rings.AwaitedRings;
import dev.flowstone.testbed.rings.EmulatedCardsTap;
import java.io.IOException;
import java.net.DatagramSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.apache.flink.core.execution.JobClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * From a card's port over a network that loses datagrams to a read_committed consumer: card, {@code
 * tap forward}, {@code tap receive}, and a job that reads the receiver's rings.
 */
@Timeout(180)
class ForwardedPacketsITCase {
  private static final long PACKETS = 100_000;
  private static final String FEED = "synthetic:rate=50k,packets=" + PACKETS;
  private static final int LOSS_PERIOD = 20;
  private static final Duration LIMIT = Duration.ofSeconds(60);

  @TempDir private static Path folder;

  @Test
  void shouldGiveAJobWhatCameAndTellItWhatWasLost() throws Exception {
    KafkaTopic topic = new KafkaTopic(SharedBroker.bootstrapServers(), "forwarded");
    topic.create(PacketsJob.PARALLELISM);
    int port = freePort();
    try (ScratchFolder near = ScratchFolder.inMemory("near");
        ScratchFolder far = ScratchFolder.inMemory("far");
        LossyHop hop = new LossyHop(port, LOSS_PERIOD);
        ChildProcess receiver =
            tap(
                "receive",
                "--listen",
                "127.0.0.1:" + port,
                "--ring-bytes",
                "16m",
                "--rings",
                far.path().toString());
        ChildProcess card =
            EmulatedCardsTap.start(folder, near.path(), 1, FEED, "--wait-for-reader")) {
      AwaitedRings.in(near.path(), PacketsJob.PARALLELISM);
      try (ChildProcess sender =
          tap(
              "forward",
              "--bounded",
              "--to",
              "127.0.0.1:" + hop.port(),
              "--rings",
              near.path().toString())) {
        AwaitedRings.in(far.path(), PacketsJob.PARALLELISM);
        JobClient job = PacketsJob.bounded(topic, List.of(far.path())).executeAsync("forwarded");
        EmulatedCardsTap.awaitReport(card, folder);
        Programs.requireSuccess(sender, LIMIT);
        Programs.requireSuccess(receiver, LIMIT);
        job.getJobExecutionResult().get();
      }
      ReadSample packets = ReadSample.of(topic);
      assertThat(hop.lost()).as("datagrams").isPositive();
      assertThat(packets.lostBeforeTap()).isPositive();
      assertThat(packets.packets()).isPositive();
      assertThat(packets.packets() + packets.lost() + packets.lostBeforeTap()).isEqualTo(PACKETS);
    }
  }

  private static ChildProcess tap(String... arguments) throws IOException {
    return ChildProcess.start(
        Programs.of(
                folder, arguments[0], "dev.flowstone.tap.command.TapCommand", List.of(arguments))
            .withJvmOptions("-Xmx128m", "-XX:+UseSerialGC"),
        ChildOutput.gatheredIn(folder));
  }

  /** No datagram goes to it yet. */
  private static int freePort() throws IOException {
    try (DatagramSocket socket = new DatagramSocket(0)) {
      return socket.getLocalPort();
    }
  }
}
