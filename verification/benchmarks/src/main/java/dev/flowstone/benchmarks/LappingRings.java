// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import dev.flowstone.connector.fpga.rings.FileRingCatalog;
import dev.flowstone.connector.fpga.rings.FileRingCatalog.Unusable;
import dev.flowstone.connector.fpga.rings.LaneUse;
import dev.flowstone.connector.fpga.rings.OpenRing;
import dev.flowstone.connector.fpga.rings.RingCatalog;
import dev.flowstone.connector.fpga.rings.RingName;
import dev.flowstone.connector.fpga.rings.RingSighting;
import dev.flowstone.model.StreamNumber;
import dev.flowstone.model.abi.RingContent;
import dev.flowstone.offheap.Posix;
import dev.flowstone.offheap.ring.GatingReader;
import dev.flowstone.offheap.ring.ObservingReader;
import dev.flowstone.offheap.ring.ReaderName;
import dev.flowstone.offheap.ring.RingDirectory;
import dev.flowstone.offheap.ring.RingFile;
import dev.flowstone.offheap.ring.RingReader;
import dev.flowstone.offheap.ring.RingStart;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Filled ring files as rings without end: each is read lap after lap, so that a source can be
 * measured for longer than memory lasts, and without a producer that takes part of the machine.
 */
final class LappingRings implements RingCatalog {
  private final FileRingCatalog files;
  private final Function<RingFile, RingReader> readers;
  private final Laps laps = new Laps();

  /**
   * @param isGating whether taps would wait; else runs are copied
   */
  LappingRings(List<String> directories, String readerName, String host, boolean isGating) {
    files =
        new FileRingCatalog(
            directories,
            RingContent.PACKET_RECORDS,
            new LaneUse(ReaderName.of(readerName), RingReader.USUAL_EXPIRY, isGating),
            host,
            Unusable.REFUSED);
    readers =
        file ->
            isGating
                ? new GatingReader(file, readerName, RingStart.OLDEST)
                : new ObservingReader(file, readerName, RingStart.OLDEST);
  }

  @Override
  public String host() {
    return files.host();
  }

  @Override
  public List<RingSighting> discover() {
    return files.discover();
  }

  @Override
  public Optional<OpenRing> open(long stream, RingStart start) {
    if (start instanceof RingStart.Resume) {
      throw new IllegalStateException(
          StreamNumber.text(stream)
              + ": the job under measurement was restarted; what it measured is void");
    }
    RingName name =
        discover().stream().filter(seen -> seen.stream() == stream).findAny().orElseThrow().name();
    RingFile file =
        RingFile.open(new RingDirectory(Path.of(name.directory())).ringFile(name.ring()));
    // Page faults of the first lap are not the source's cost.
    Posix.populate(file.slots());
    return Optional.of(new LappingRing(file, readers, laps));
  }
}
