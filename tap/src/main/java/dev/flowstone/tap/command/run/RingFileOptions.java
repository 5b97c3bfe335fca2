// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.command.run;

import dev.flowstone.commandline.Allowed;
import dev.flowstone.commandline.ByteSizeConverter;
import dev.flowstone.commandline.DurationConverter;
import dev.flowstone.commandline.DurationText;
import dev.flowstone.commandline.EscapedText;
import dev.flowstone.model.abi.RingFileHeaderLayout;
import dev.flowstone.offheap.ring.RingDirectory;
import dev.flowstone.offheap.ring.RingFile;
import dev.flowstone.offheap.ring.RingRoom;
import dev.flowstone.offheap.ring.RingSetWriter;
import dev.flowstone.offheap.ring.RingSpecification;
import dev.flowstone.offheap.ring.WhenFull;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Option;

/** What all that fills rings may be told about their files. */
public final class RingFileOptions {
  /** No reader asks for more. */
  private static final String MAX_DURATION = "365d";

  @Option(
      names = "--rings",
      paramLabel = "DIR",
      defaultValue = "/dev/shm/flowstone",
      description = "Folder of the ring files; default ${DEFAULT-VALUE}.")
  private Path directory;

  @Option(
      names = "--ring-bytes",
      paramLabel = "SIZE",
      defaultValue = "512m",
      converter = ByteSizeConverter.class,
      description =
          "Size of each ring, such as 512m or 4g; rounded up to a power of two. Default ${DEFAULT-VALUE}.")
  @Allowed(from = "64k", to = "256g")
  private long ringBytes;

  @Option(
      names = "--hold",
      paramLabel = "DURATION",
      defaultValue = "15s",
      converter = DurationConverter.class,
      description =
          "How long the rings must last until a job that died gives space back: twice its checkpoint"
              + " interval plus the time of a restart. Smaller rings draw a warning. Default"
              + " ${DEFAULT-VALUE}.")
  @Allowed(from = "0s", to = MAX_DURATION)
  private Duration hold;

  @Option(
      names = "--group",
      paramLabel = "NAME",
      converter = GroupConverter.class,
      description = "Opens the ring files to a group; without it they are their owner's alone.")
  private Optional<String> group = Optional.empty();

  @Option(
      names = "--lane-expiry",
      paramLabel = "DURATION",
      converter = DurationConverter.class,
      description =
          "Takes the space of readers without a heartbeat for so long, even if they asked for more;"
              + " jobs ask for 10 min. Default: as long as each asked for.")
  // Readers show life each second, and may be late.
  @Allowed(from = "5s", to = MAX_DURATION)
  private Optional<Duration> laneExpiry = Optional.empty();

  /** From now on a reader that is silent for too long loses its space, which is said. */
  public void limitSilence(RingSetWriter rings) {
    rings.limitSilence(
        laneExpiry.orElseGet(() -> DurationText.parse(MAX_DURATION)),
        RingFileOptions::sayAbandoned);
  }

  private static void sayAbandoned(RingSetWriter.AbandonedLane lane) {
    System.err.printf(
        "warning: ring %d: reader %s (pid %d) gave no sign of life for %d s, its space is taken: what it has not"
            + " read by now counts as missed if it comes back%n",
        lane.ring(),
        EscapedText.of(lane.reader().name()),
        lane.reader().pid(),
        TimeUnit.NANOSECONDS.toSeconds(lane.reader().silenceNs()));
  }

  public RingDirectory directory() {
    return new RingDirectory(directory);
  }

  public RingSetWriter create(
      String tapName, int ringCount, int maxParallelism, int clock, WhenFull whenFull) {
    return create(
        directory(), tapName, ringCount, maxParallelism, clock, whenFull, Optional.empty());
  }

  /** The same in another folder. */
  public RingSetWriter create(
      RingDirectory folder,
      String tapName,
      int ringCount,
      int maxParallelism,
      int clock,
      WhenFull whenFull,
      Optional<RingRoom> prepared) {
    return RingSetWriter.create(
        folder,
        specification(tapName, ringCount, slotsLog2(), maxParallelism, clock),
        whenFull,
        prepared);
  }

  /** Room for what {@link #create} is to make there later. */
  public RingRoom room(
      RingDirectory folder, String tapName, int ringCount, int maxParallelism, int clock) {
    return RingRoom.take(
        folder, specification(tapName, ringCount, slotsLog2(), maxParallelism, clock));
  }

  private int slotsLog2() {
    return RingSpecification.slotsLog2ForBytes(ringBytes);
  }

  /** The same, with as little room as there may be. */
  public RingSetWriter createSmallest(
      RingDirectory folder, String tapName, int ringCount, int maxParallelism, int clock) {
    int slotsLog2 = RingFileHeaderLayout.LEAST_SLOTS_LOG2;
    return RingSetWriter.create(
        folder, specification(tapName, ringCount, slotsLog2, maxParallelism, clock), WhenFull.DROP);
  }

  private RingSpecification specification(
      String tapName, int ringCount, int slotsLog2, int maxParallelism, int clock) {
    return new RingSpecification(ringCount, slotsLog2, clock, maxParallelism, tapName, group);
  }

  /**
   * The warning for so many rings that last less than they must at a rate; empty when they are
   * large enough or the rate is not known.
   */
  public Optional<String> sizeWarning(OptionalDouble packetsPerSecond, int ringCount) {
    if (packetsPerSecond.isEmpty()) {
      return Optional.empty();
    }
    long bytes = (long) RingFile.SLOT_BYTES << RingSpecification.slotsLog2ForBytes(ringBytes);
    double neededBytes =
        RingFile.SLOT_BYTES * packetsPerSecond.getAsDouble() * seconds(hold) / ringCount;
    if (bytes >= neededBytes) {
      return Optional.empty();
    }
    return Optional.of(
        String.format(
            Locale.ROOT,
            "rings of %s last %s at %,.0f packets/s; a checkpoint interval and a restart"
                + " (--hold) want %s: --ring-bytes %dm",
            bytes < 1 << 20 ? (bytes >> 10) + " KiB" : (bytes >> 20) + " MiB",
            duration(
                bytes * (double) ringCount / RingFile.SLOT_BYTES / packetsPerSecond.getAsDouble()),
            packetsPerSecond.getAsDouble(),
            DurationText.of(hold),
            Math.ceilDiv((long) neededBytes, 1L << 20)));
  }

  private static double seconds(Duration duration) {
    return duration.toNanos() / 1e9;
  }

  private static String duration(double seconds) {
    return seconds < 0.1
        ? String.format(Locale.ROOT, "%.1f ms", seconds * 1e3)
        : String.format(Locale.ROOT, "%.1f s", seconds);
  }
}
