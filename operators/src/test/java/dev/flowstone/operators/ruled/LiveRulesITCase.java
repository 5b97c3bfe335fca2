// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.ruled;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.connector.fpga.FlowExchange;
import dev.flowstone.connector.fpga.FpgaSource;
import dev.flowstone.connector.fpga.RingBlocks;
import dev.flowstone.harness.failure.FailureInjection;
import dev.flowstone.harness.failure.FailureInjection.Place;
import dev.flowstone.model.abi.PacketRecordLayout;
import dev.flowstone.model.abi.RawPacketLayout;
import dev.flowstone.model.abi.RingClock;
import dev.flowstone.offheap.ring.RingDirectory;
import dev.flowstone.offheap.ring.RingSetWriter;
import dev.flowstone.offheap.ring.RingSpecification;
import dev.flowstone.offheap.ring.WhenFull;
import dev.flowstone.operators.SentPacket;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.metrics.Counter;
import org.apache.flink.runtime.testutils.InMemoryReporter;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Rules change while a job runs. After a failure, the job applies the rules of its checkpoint. */
@Timeout(120)
class LiveRulesITCase {
  private static final int RINGS = 2;
  private static final int KEY_GROUPS = 128;
  private static final int BATCH = 256;
  private static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final String FIRST = "rules: []\ndefault: {function: pass, flow_id: 1}";
  private static final String SECOND = "rules: []\ndefault: {function: pass, flow_id: 2}";
  private static final String BAD = "rules: []\ndefault: {function: fly}";
  private static final String THIRD = "rules: []\ndefault: {function: pass, flow_id: 3}";

  /** Packets by the flow id of their rule and its version, of all attempts. */
  private static final Map<String, Long> SEEN = new ConcurrentHashMap<>();

  private static final InMemoryReporter METRICS = InMemoryReporter.createWithRetainedMetrics();

  @RegisterExtension
  static final MiniClusterExtension CLUSTER =
      new MiniClusterExtension(
          new MiniClusterResourceConfiguration.Builder()
              .setConfiguration(METRICS.addToConfiguration(new Configuration()))
              .setNumberTaskManagers(1)
              .setNumberSlotsPerTaskManager(RINGS)
              .build());

  @TempDir private Path folder;
  private long packets;

  private static final class Seen implements MapFunction<RuledBlock, Long> {
    private static final long serialVersionUID = 1L;

    @Override
    public Long map(RuledBlock block) {
      String rules =
          "version " + block.rules().version() + ", flow id " + block.rules().tag(0).flowId();
      SEEN.merge(rules, (long) block.packets().count(), Long::sum);
      return 0L;
    }
  }

  @Test
  void shouldChangeAllAtOnceRefuseWhatIsBadAndGoOnByTheRulesOfItsCheckpoint() throws Exception {
    Path file = folder.resolve("rules.yaml");
    Files.writeString(file, FIRST);
    try (FailureInjection failures = new FailureInjection();
        RingSetWriter writer =
            RingSetWriter.create(
                new RingDirectory(folder.resolve("rings")),
                new RingSpecification(
                    RINGS, 16, RingClock.SYNTHETIC, KEY_GROUPS, "test", Optional.empty()),
                WhenFull.DROP)) {
      JobClient job = start(file, failures);
      writeUntil(writer, job, () -> SEEN.containsKey("version 1, flow id 1"));

      replace(file, SECOND);
      writeUntil(writer, job, () -> SEEN.containsKey("version 2, flow id 2"));

      replace(file, BAD);
      writeUntil(writer, job, () -> counter(job, "rulesRefused") > 0);
      // Without the file, only the checkpoint contains the second version.
      Files.delete(file);
      long before = SEEN.get("version 1, flow id 1");
      failures.failOnce(Place.PROCESSING, () -> write(writer));
      long second = SEEN.get("version 2, flow id 2");
      writeUntil(writer, job, () -> SEEN.get("version 2, flow id 2") > second);
      assertThat(SEEN.get("version 1, flow id 1")).isEqualTo(before);

      replace(file, THIRD);
      writeUntil(writer, job, () -> SEEN.containsKey("version 3, flow id 3"));
      assertThat(SEEN.keySet())
          .containsExactlyInAnyOrder(
              "version 1, flow id 1", "version 2, flow id 2", "version 3, flow id 3");
      job.cancel().get(30, TimeUnit.SECONDS);
    }
  }

  private static long counter(JobClient job, String name) {
    return METRICS.findMetrics(job.getJobID(), name).values().stream()
        .mapToLong(metric -> ((Counter) metric).getCount())
        .sum();
  }

  private void replace(Path file, String rules) throws Exception {
    Path written = Files.writeString(folder.resolve("written.yaml"), rules);
    Files.move(written, file, StandardCopyOption.REPLACE_EXISTING);
  }

  private void writeUntil(RingSetWriter writer, JobClient job, BooleanSupplier done)
      throws Exception {
    while (!done.getAsBoolean()) {
      assertThat(job.getJobStatus().get().isTerminalState()).isFalse();
      write(writer);
      Thread.sleep(20);
    }
  }

  private JobClient start(Path file, FailureInjection failures) throws Exception {
    Configuration configuration = new Configuration();
    configuration.set(PipelineOptions.MAX_PARALLELISM, KEY_GROUPS);
    configuration.set(
        CheckpointingOptions.CHECKPOINTS_DIRECTORY,
        folder.resolve("checkpoints").toUri().toString());
    configuration.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, Duration.ofMillis(200));
    FailureInjection.allowRestarts(configuration, Duration.ofMillis(100));
    StreamExecutionEnvironment environment =
        StreamExecutionEnvironment.getExecutionEnvironment(configuration);
    environment.setParallelism(RINGS);
    LiveRules rules =
        LiveRules.fixed(new RulesText(1, file.toString(), FIRST), _ -> {})
            .watching(FileWatch.of(file));
    RingBlocks read =
        FlowExchange.NEVER.read(
            environment,
            FpgaSource.builder()
                .ringDirectory(folder.resolve("rings"))
                .discoveryInterval(Duration.ofMillis(50)),
            "rings");
    RuledBlocks.of(new RingBlocks(failures.in(read.packets()), read.areByFlow()), rules, "rules")
        .uid("rules")
        .of(FunctionKind.PASS)
        .map(new Seen())
        .sinkTo(new DiscardingSink<>());
    return environment.executeAsync("live rules");
  }

  private void write(RingSetWriter writer) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment raw = arena.allocate(BATCH * RawPacketLayout.SIZE_BYTES, 64);
      MemorySegment records = arena.allocate(BATCH * PacketRecordLayout.SIZE_BYTES, 64);
      for (int i = 0; i < BATCH; i++) {
        long timeNs = 1_700_000_000_000_000_000L + packets++ * 1_000;
        new SentPacket(SentPacket.flow(i), timeNs, 64, 0)
            .write(records, i * PacketRecordLayout.SIZE_BYTES);
        long at = i * RawPacketLayout.SIZE_BYTES;
        raw.set(LONG, at + RawPacketLayout.TIME_NS_OFFSET, timeNs);
        raw.set(INT, at + RawPacketLayout.WIRE_BYTES_OFFSET, 64);
      }
      writer.write(raw, records, BATCH);
    }
  }
}
