// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.connector.fpga.FpgaSource;
import dev.flowstone.jobs.platform.PlatformJob;
import dev.flowstone.jobs.platform.PlatformOptions;
import dev.flowstone.operators.ruled.RulesInForce;
import dev.flowstone.traffic.synthetic.SyntheticOptions;
import dev.flowstone.traffic.synthetic.SyntheticSource;
import java.time.Duration;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;

/** The baseline of {@code bench platform} does the work that it is compared with. */
class PerRecordPlatformTest {
  private static final int PACKETS = 200_000;
  private static final int PACKETS_PER_SECOND = 10_000;
  private static final int RULES = 16;
  private static final Duration LIMIT = Duration.ofSeconds(60);

  /** By rule, and by kind of result. */
  private record Told(Map<String, Long> byRule, Map<String, Long> byResult) {}

  @Test
  void shouldTellOfTheSamePackets() throws Exception {
    RulesInForce rules = PlatformSite.rulesText().read();
    Told ours;
    Told theirs;
    try (PlatformSite site = PlatformSite.create();
        FilledRings rings = rings()) {
      PlatformOptions options = site.options(rings.path());
      options.rings.bounded = true;
      FpgaSource source = PlatformJob.source(options);
      ours = run(source, blocks -> PlatformBenchmark.build(blocks, options));
      theirs = run(source, blocks -> PerRecordPlatform.build(blocks, PlatformSite.rulesText()));
    }

    assertThat(rules.size()).isEqualTo(RULES);
    assertThat(ours.byRule).hasSize(RULES).isEqualTo(theirs.byRule);
    assertThat(ours.byRule.values().stream().mapToLong(Long::longValue).sum()).isEqualTo(PACKETS);
    assertThat(ours.byResult.get("flow records"))
        .isEqualTo(ours.byRule.get("flows") + ours.byRule.get("short-flows"));
    assertThat(ours.byResult.get("histograms")).isPositive();
    assertThat(ours.byResult.get("histograms") + ours.byResult.get("histogram sums"))
        .isEqualTo(theirs.byResult.get("histograms"));
    for (String name : new String[] {"flow records", "syn windows", "of the user's functions"}) {
      assertThat(ours.byResult.get(name))
          .as(name)
          .isPositive()
          .isEqualTo(theirs.byResult.get(name));
    }
    // Which packets are chosen is another matter.
    assertThat(theirs.byResult.get(PlatformBenchmark.PACKETS).doubleValue())
        .isCloseTo(ours.byResult.get(PlatformBenchmark.PACKETS), Percentage.withPercentage(1));
  }

  private static FilledRings rings() throws Exception {
    SyntheticOptions traffic =
        SyntheticOptions.preset("syn-flood")
            .withPackets(PACKETS)
            .withPacketsPerSecond(PACKETS_PER_SECOND);
    try (SyntheticSource source = new SyntheticSource(traffic)) {
      return FilledRings.with(source, PACKETS);
    }
  }

  private static Told run(FpgaSource source, Consumer<DataStream<PacketBlock>> build)
      throws Exception {
    ToldPackets.take();
    RuleCounts.take();
    try (FlinkRun run = FlinkRun.startAsUsersDo(1, at -> build.accept(blocks(at, source)))) {
      run.awaitEnd(LIMIT);
    }
    return new Told(RuleCounts.take(), ToldPackets.take());
  }

  private static DataStream<PacketBlock> blocks(
      StreamExecutionEnvironment environment, FpgaSource source) {
    return CountedBlocks.of(environment, source);
  }
}
