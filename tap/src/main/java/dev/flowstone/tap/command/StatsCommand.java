// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.command;

import dev.flowstone.commandline.CommandRunner;
import dev.flowstone.model.StreamNumber;
import dev.flowstone.model.abi.LaneMode;
import dev.flowstone.offheap.ring.RingCounters;
import dev.flowstone.offheap.ring.RingDirectory;
import dev.flowstone.offheap.ring.RingFile;
import dev.flowstone.offheap.ring.RingFileException;
import dev.flowstone.offheap.ring.RingLanes;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code ./flowstone stats}: where are my packets? Counters and readers of ring files. */
@Command(
    name = "stats",
    mixinStandardHelpOptions = true,
    description = "Shows the counters and readers of ring files; frees the lane of a dead reader.")
public final class StatsCommand implements Callable<Integer> {
  /** A reader shows life each second. */
  private static final long LONGEST_USUAL_SILENCE_SECONDS = 5;

  @Parameters(
      arity = "0..*",
      paramLabel = "RINGS",
      description = "Ring files or folders of them; default /dev/shm/flowstone.")
  private List<Path> places = List.of(Path.of("/dev/shm/flowstone"));

  @Option(
      names = "--free-lane",
      paramLabel = "N",
      description = "Frees reader lane N of these rings; its reader, if it still lives, will stop.")
  private Optional<Integer> freeLane = Optional.empty();

  @Override
  public Integer call() {
    for (Path place : places) {
      List<Path> files =
          Files.isDirectory(place) ? new RingDirectory(place).ringFiles() : List.of(place);
      if (files.isEmpty()) {
        throw new RingFileException(place + ": no ring files there; start ./flowstone tap first");
      }
      List<RingCounters> counters = files.stream().map(this::show).toList();
      if (counters.size() > 1) {
        showSum(place, counters);
      }
    }
    return 0;
  }

  private static void showSum(Path place, List<RingCounters> rings) {
    System.out.printf(
        "%s  all %d rings%n  %,d offered, %,d written, %,d dropped%n",
        place,
        rings.size(),
        rings.stream().mapToLong(RingCounters::offeredPackets).sum(),
        rings.stream().mapToLong(RingCounters::writtenPackets).sum(),
        rings.stream().mapToLong(RingCounters::droppedPackets).sum());
  }

  private RingCounters show(Path path) {
    try (RingFile file = RingFile.open(path)) {
      freeLane.ifPresent(lane -> free(file, lane));
      RingCounters counters = file.counters();
      System.out.printf(
          "%s  ring %d of %d  %s  stream %s  incarnation %016x  %s%n",
          path,
          file.identity().ring(),
          file.identity().ringCount(),
          file.identity().tapName(),
          StreamNumber.text(file.identity().stream()),
          file.identity().incarnation(),
          file.isEnded() ? "ended" : "open");
      System.out.printf(
          "  %,d offered, %,d written, %,d dropped; position %,d of %,d slots%n",
          counters.offeredPackets(),
          counters.writtenPackets(),
          counters.droppedPackets(),
          file.position(),
          file.identity().slotCount());
      List<RingLanes.Occupant> readers = file.lanes().occupants();
      readers.forEach(reader -> show(file, reader));
      if (readers.stream().noneMatch(RingLanes.Occupant::holdsSpace)) {
        showUnheld(file);
      }
      return counters;
    }
  }

  /** Written over is not dropped: nobody had asked for it. */
  private static void showUnheld(RingFile file) {
    System.out.printf(
        "  no reader holds space: %,d slots (packets and clock marks) can still be read, what came before"
            + " is written over%n",
        file.position() - file.oldestPosition());
  }

  private static void show(RingFile file, RingLanes.Occupant occupant) {
    long held = file.position() - occupant.releasedPosition();
    System.out.printf(
        "  lane %d  %-24s %s  pid %d, %s%s%n",
        occupant.lane(),
        occupant.name(),
        LaneMode.nameOf(occupant.mode()),
        occupant.pid(),
        signOfLife(occupant),
        occupant.holdsSpace()
            ? String.format(
                "  released %,d, holds %,d slots (%d %% of the ring)",
                occupant.releasedPosition(), held, held * 100 / file.identity().slotCount())
            : "  holds nothing");
  }

  private static String signOfLife(RingLanes.Occupant occupant) {
    long silentSeconds = TimeUnit.NANOSECONDS.toSeconds(occupant.silenceNs());
    if (silentSeconds < LONGEST_USUAL_SILENCE_SECONDS) {
      return "alive";
    }
    return String.format(
        "SILENT for %d s (its space is taken after %d s)",
        silentSeconds, TimeUnit.NANOSECONDS.toSeconds(occupant.expiryNs()));
  }

  private static void free(RingFile file, int lane) {
    file.lanes()
        .free(lane)
        .ifPresentOrElse(
            former ->
                System.out.printf("freed lane %d of %s: %s%n", lane, file.path(), former.name()),
            () -> System.out.printf("lane %d of %s was free%n", lane, file.path()));
  }

  public static void main(String[] arguments) {
    System.exit(CommandRunner.run(new StatsCommand(), arguments));
  }
}
