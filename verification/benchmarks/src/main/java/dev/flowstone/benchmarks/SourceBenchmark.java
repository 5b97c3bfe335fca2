// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import dev.flowstone.offheap.ring.RingFile;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;

/**
 * Records per second from ring memory to a Flink operator, beside a plain loop over that memory.
 */
final class SourceBenchmark implements MixBenchmark {
  private static final int SCANNED_AT_ONCE = 1024;

  @Override
  public String name() {
    return "source";
  }

  @Override
  public String description() {
    return "records/s from filled rings to a Flink operator; baseline: a plain loop over the memory";
  }

  @Override
  public Steps steps(BenchScale scale) {
    Steps figure = Steps.of(scale, scale);
    return scale.isQuick() ? figure : figure.plus(Steps.of(scale));
  }

  @Override
  public BenchResult run(Mix mix, BenchScale scale) throws Exception {
    try (FilledRings rings = FilledRings.with(mix, scale.packets())) {
      Progress.step("plain loop", scale);
      Windows scan = rawScan(rings, scale);
      Windows alone = flink(rings, scale, 1);
      Map<String, Object> further = new LinkedHashMap<>();
      if (!scale.isQuick()) {
        Windows two = flink(rings, scale, 2);
        further.put("figure_parallelism_2", two.median());
        further.put("range_parallelism_2", two.range());
      }
      further.put("distinct_packets", scale.packets());
      return new BenchResult(
          name(),
          "records/s",
          BenchResult.Better.MORE,
          alone,
          scan,
          "plain loop over the same memory, one thread",
          further);
    }
  }

  private static Windows flink(FilledRings rings, BenchScale scale, int parallelism)
      throws Exception {
    Progress.step("Flink job, parallelism " + parallelism, scale);
    try (FlinkRun run =
        FlinkRun.start(parallelism, environment -> build(environment, rings.path()))) {
      Windows windows = Windows.ratesOf(ThreeFields.PACKETS::sum, scale);
      run.requireRunning();
      return windows;
    }
  }

  static void build(StreamExecutionEnvironment environment, Path rings) {
    environment
        .fromSource(LappingSource.of(rings), WatermarkStrategy.noWatermarks(), "Rings")
        .map(new ThreeFields())
        .returns(Types.LONG)
        .sinkTo(new DiscardingSink<>());
  }

  private static Windows rawScan(FilledRings rings, BenchScale scale) {
    List<RingFile> files = rings.files().stream().map(RingFile::open).toList();
    try {
      long records = files.stream().mapToLong(RingFile::position).sum();
      return Windows.ratesOfPasses(
          records, () -> files.forEach(file -> Sink.take(scan(file, file.position()))), scale);
    } finally {
      files.forEach(RingFile::close);
    }
  }

  /** In pieces as large as blocks: over loops this short the compiler checks bounds only once. */
  private static long scan(RingFile file, long records) {
    long sum = 0;
    for (long first = 0; first < records; first += SCANNED_AT_ONCE) {
      int count = (int) Math.min(SCANNED_AT_ONCE, records - first);
      sum += ThreeFields.sum(file.slots(), first * RingFile.SLOT_BYTES, count);
    }
    return sum;
  }
}
