// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.rings;

import dev.flowstone.offheap.ring.RingDirectory;
import dev.flowstone.offheap.ring.RingFile;
import dev.flowstone.offheap.ring.RingFileException;
import dev.flowstone.offheap.ring.RingLanes.Occupant;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Another job that reads rings of this host under a name that a job yet to be started wants. To be
 * asked before: once they run, their sinks might get into each other's way sooner than their
 * readers notice.
 */
public final class LivingNamesake {
  private static final long LOOK_INTERVAL_MS = 100;

  private LivingNamesake() {}

  /**
   * Waits until nobody lives under the name: who died a moment ago looks alive for some seconds.
   *
   * @throws IllegalStateException if somebody shows life meanwhile; it says who
   */
  public static void requireNone(List<String> directories, String readerName)
      throws InterruptedException {
    long beganNs = System.nanoTime();
    Optional<Occupant> namesake = find(directories, readerName);
    while (namesake.isPresent()) {
      if (namesake.get().aliveNs() - beganNs > 0) {
        throw new IllegalStateException(
            namesake.get().refuseName("which is at work on the same rings"));
      }
      Thread.sleep(LOOK_INTERVAL_MS);
      namesake = find(directories, readerName);
    }
  }

  private static Optional<Occupant> find(List<String> directories, String readerName) {
    return directories.stream()
        .flatMap(directory -> new RingDirectory(Path.of(directory)).ringFiles().stream())
        .flatMap(LivingNamesake::occupants)
        .filter(occupant -> occupant.name().equals(readerName))
        .filter(occupant -> occupant.reader().job().isPresent() && occupant.isAlive())
        .findFirst();
  }

  private static Stream<Occupant> occupants(Path file) {
    try (RingFile ring = RingFile.open(file)) {
      return ring.lanes().occupants().stream();
    } catch (RingFileException unusable) {
      // The source says so, if it is still there then.
      return Stream.empty();
    }
  }
}
