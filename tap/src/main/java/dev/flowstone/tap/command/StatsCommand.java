// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.command;

import dev.flowstone.commandline.CommandRunner;
import dev.flowstone.commandline.EscapedText;
import dev.flowstone.model.StreamNumber;
import dev.flowstone.model.abi.LaneMode;
import dev.flowstone.model.abi.RingClock;
import dev.flowstone.offheap.ring.RingCounters;
import dev.flowstone.offheap.ring.RingDirectory;
import dev.flowstone.offheap.ring.RingFile;
import dev.flowstone.offheap.ring.RingFileException;
import dev.flowstone.offheap.ring.RingIdentity;
import dev.flowstone.offheap.ring.RingLanes;
import dev.flowstone.offheap.ring.RingOccupants;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code ./flowstone stats}: where are my packets? Counters and readers of ring files. */
@Command(
    name = "stats",
    mixinStandardHelpOptions = true,
    description = "Shows the counters and readers of ring files; frees the lane of a dead reader.",
    footer = {
      "",
      "What the stages of a Flink job have counted:",
      "  ./flowstone stats --flink http://localhost:8081 [--job NAME]"
    })
public final class StatsCommand implements Callable<Integer> {
  private static final String DAMAGED = "damaged";

  /** A century of the shortest packets at 800 Gb/s: no counter of packets comes that far. */
  private static final long MOST_PACKETS = 1L << 62;

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
      if (!Files.exists(place)) {
        throw new RingFileException(
            place + ": no such folder or ring file; start a tap first (./flowstone tap --help)");
      }
      List<Path> files =
          Files.isDirectory(place) ? new RingDirectory(place).ringFiles() : List.of(place);
      if (files.isEmpty()) {
        throw new RingFileException(
            place + ": no ring files there; start a tap first (./flowstone tap --help)");
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
        "%s  all %d rings%n  %s offered, %s written, %s dropped%n",
        EscapedText.of(place.toString()),
        rings.size(),
        sum(rings, RingCounters::offeredPackets),
        sum(rings, RingCounters::writtenPackets),
        sum(rings, RingCounters::droppedPackets));
  }

  private static String sum(List<RingCounters> rings, ToLongFunction<RingCounters> counter) {
    boolean damaged = rings.stream().mapToLong(counter).anyMatch(count -> !isCount(count));
    return damaged ? DAMAGED : count(rings.stream().mapToLong(counter).sum());
  }

  private RingCounters show(Path path) {
    try (RingFile file = RingFile.open(path)) {
      freeLane.ifPresent(lane -> free(file, lane));
      RingCounters counters = file.counters();
      RingOccupants occupants = RingOccupants.of(file);
      System.out.printf(
          "%s  ring %d of %d  %s  clock %s  stream %s  incarnation %016x  %s%n",
          EscapedText.of(path.toString()),
          file.identity().ring(),
          file.identity().ringCount(),
          EscapedText.of(file.identity().tapName()),
          RingClock.nameOf(file.identity().clock()),
          StreamNumber.text(file.identity().stream()),
          file.identity().incarnation(),
          file.isEnded() ? "ended" : "open");
      System.out.printf(
          "  %s offered, %s written, %s dropped; position %s of %,d slots%n",
          count(counters.offeredPackets()),
          count(counters.writtenPackets()),
          count(counters.droppedPackets()),
          count(occupants.position()),
          file.identity().slotCount());
      showNotices(file.identity(), counters);
      occupants.readers().forEach(reader -> show(file, reader, occupants));
      if (!occupants.holdSpace()) {
        showUnheld(file, occupants);
      }
      return counters;
    }
  }

  /** What should make somebody look, and nothing otherwise. */
  private static void showNotices(RingIdentity identity, RingCounters counters) {
    if (counters.lostBeforeTap() != 0) {
      System.out.printf(
          "  %s lost before the tap (kernel, capture device, capture file or network), never offered%n",
          count(counters.lostBeforeTap()));
    }
    if (counters.otherClockPackets() != 0) {
      System.out.printf("  %s not timed by this clock%n", count(counters.otherClockPackets()));
    }
    if (counters.expiredLanes() != 0) {
      System.out.printf(
          "  %s readers lost their space because they gave no sign of life%n",
          count(counters.expiredLanes()));
    }
    if (identity.clock() == RingClock.HARDWARE) {
      System.out.println(
          "  timed by the network card: UTC only where something keeps its clock so");
    }
  }

  /** Written over is not dropped: nobody had asked for it. */
  private static void showUnheld(RingFile file, RingOccupants occupants) {
    System.out.printf(
        "  no reader holds space: %s slots (packets and clock marks) can still be read, what came before"
            + " is written over%n",
        slots(file, occupants.slotsFrom(file.oldestPosition())));
  }

  private static void show(RingFile file, RingLanes.Occupant occupant, RingOccupants occupants) {
    System.out.printf(
        "  lane %d  %-24s %s  %s%s%n",
        occupant.lane(),
        EscapedText.of(occupant.reader().toString()),
        LaneMode.nameOf(occupant.mode()),
        signOfLife(occupant),
        occupant.holdsSpace() ? "  " + held(file, occupant, occupants) : "  holds nothing");
  }

  private static String held(RingFile file, RingLanes.Occupant occupant, RingOccupants occupants) {
    long released = occupant.releasedPosition();
    long held = occupants.slotsFrom(released);
    String slots = slots(file, held);
    return slots.equals(DAMAGED)
        ? DAMAGED + ": it can be freed with --free-lane " + occupant.lane()
        : String.format(
            "released %s, holds %s slots (%d %% of the ring)%s",
            count(released),
            slots,
            held * 100 / file.identity().slotCount(),
            isSilent(occupant) ? "; --free-lane " + occupant.lane() + " gives them up" : "");
  }

  private static String slots(RingFile file, long slots) {
    return slots <= file.identity().slotCount() ? count(slots) : DAMAGED;
  }

  /** What counts packets and slots cannot be negative. */
  private static String count(long count) {
    return isCount(count) ? String.format("%,d", count) : DAMAGED;
  }

  private static boolean isCount(long count) {
    return count >= 0 && count <= MOST_PACKETS;
  }

  private static String signOfLife(RingLanes.Occupant occupant) {
    if (!isSilent(occupant)) {
      return process(occupant);
    }
    return String.format(
        "%s, SILENT for %d s (counts as gone after %d s, or sooner if the tap says so)",
        process(occupant),
        TimeUnit.NANOSECONDS.toSeconds(occupant.silenceNs()),
        TimeUnit.NANOSECONDS.toSeconds(occupant.expiryNs()));
  }

  private static boolean isSilent(RingLanes.Occupant occupant) {
    return occupant.silenceNs() >= RingLanes.LONGEST_LIVING_SILENCE_NS;
  }

  private static String process(RingLanes.Occupant occupant) {
    if (occupant.pid() == 0) {
      return "closed, to be opened again";
    }
    return "pid " + occupant.pid() + (occupant.isAlive() ? ", alive" : "");
  }

  private static void free(RingFile file, int lane) {
    file.lanes()
        .free(lane)
        .ifPresentOrElse(
            former ->
                System.out.printf(
                    "freed lane %d of %s: %s%n", lane, place(file), EscapedText.of(former.name())),
            () -> System.out.printf("lane %d of %s was free%n", lane, place(file)));
  }

  private static String place(RingFile file) {
    return EscapedText.of(file.path().toString());
  }

  public static void main(String[] arguments) {
    System.exit(CommandRunner.run(new StatsCommand(), arguments));
  }
}
