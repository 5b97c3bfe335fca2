// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints;

import dev.flowstone.commandline.DurationConverter;
import dev.flowstone.connector.fpga.FpgaSource;
import dev.flowstone.connector.fpga.FpgaSourceBuilder;
import dev.flowstone.connector.fpga.ReleaseMode;
import dev.flowstone.connector.fpga.exchange.RingsHere;
import dev.flowstone.jobs.entry.JobStart;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import picocli.CommandLine.Option;

/** Where a job's packets come from. */
public final class RingOptions {
  private static final Duration LONGEST_OUT_OF_ORDERNESS = Duration.ofHours(1);

  @Option(
      names = "--rings",
      required = true,
      paramLabel = "DIR",
      description = "Folder that a tap fills. May be repeated.")
  public List<Path> folders = List.of();

  @Option(
      names = "--reader-name",
      paramLabel = "NAME",
      description = "The name under which the rings know this job. Default: --name.")
  public String readerName;

  @Option(
      names = "--lane-expiry",
      defaultValue = "10 min",
      paramLabel = "DURATION",
      converter = DurationConverter.class,
      description =
          "After that long without this job (down, or cancelled for good) a tap takes its rings' space;"
              + " packets that it has not read by then are counted as missed when it comes back."
              + " Default ${DEFAULT-VALUE}.")
  public Duration laneExpiry = Duration.ofMinutes(10);

  @Option(
      names = "--release",
      paramLabel = "on_checkpoint|on_read|observing",
      defaultValue = "on_checkpoint",
      description =
          "on_checkpoint: ring space is given back when a checkpoint completes; on_read: at once;"
              + " observing: taps never wait."
              + " Default ${DEFAULT-VALUE}.")
  public ReleaseMode release = ReleaseMode.ON_CHECKPOINT;

  @Option(
      names = "--out-of-orderness",
      defaultValue = "100 ms",
      paramLabel = "DURATION",
      converter = DurationConverter.class,
      description =
          "How far a packet may be behind the latest of its ring and count in its own time's results,"
              + " which leave that much later. Default ${DEFAULT-VALUE}.")
  public Duration outOfOrderness = Duration.ofMillis(100);

  @Option(names = "--bounded", description = "End when the tap says that nothing more will come.")
  public boolean bounded;

  /** Throws for a value that makes no sense, by the name of its option. */
  public void requireSense() {
    AllowedRange.require(
        "--lane-expiry",
        laneExpiry,
        FpgaSourceBuilder.SHORTEST_EXPIRY,
        FpgaSourceBuilder.LONGEST_EXPIRY);
    AllowedRange.require(
        "--out-of-orderness", outOfOrderness, Duration.ZERO, LONGEST_OUT_OF_ORDERNESS);
  }

  /** Warns where the rings that are seen here do not suit the job; how many, 0: nobody knows. */
  public int check(JobStart start) {
    RingsHere rings = RingsHere.in(folders.stream().map(Path::toString).toList());
    for (RingsHere.Folder folder : rings.folders()) {
      warnIfKeyGroupsDiffer(folder, start);
    }
    if (rings.count() > 0 && start.parallelism() > rings.count()) {
      start.warn(
          "--parallelism is %d, and %d rings are seen here: a subtask without a ring has nothing to do"
              .formatted(start.parallelism(), rings.count()));
    }
    return rings.count();
  }

  private static void warnIfKeyGroupsDiffer(RingsHere.Folder folder, JobStart start) {
    if (folder.maxParallelism() != start.maxParallelism()) {
      start.warn(
          ("%s: the tap spreads packets over %d key groups and this job has %d, so a ring does not"
                  + " hold the keys of its subtask: start the tap with --max-parallelism %d")
              .formatted(
                  folder.path(),
                  folder.maxParallelism(),
                  start.maxParallelism(),
                  start.maxParallelism()));
    }
  }

  /** A source of these rings, for the job of that name. */
  public FpgaSourceBuilder source(String jobName) {
    FpgaSourceBuilder source =
        FpgaSource.builder()
            .readerName(readerName == null ? jobName : readerName)
            .laneExpiry(laneExpiry)
            .release(release)
            .outOfOrderness(outOfOrderness);
    folders.forEach(source::ringDirectory);
    return bounded ? source.bounded() : source;
  }
}
