// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.enumerator;

import dev.flowstone.connector.fpga.rings.RingSighting;
import java.util.List;

/**
 * What a reader said last: it speaks again when something has changed, and when it is asked.
 *
 * @param host what it calls its host
 * @param sightings the rings it sees there
 * @param look the last that it had been asked for when it looked
 */
record SightReport(String host, List<RingSighting> sightings, long look) {
  SightReport {
    sightings = List.copyOf(sightings);
  }

  /** Whether a tap's rings are in a folder, all of them. */
  boolean seesWholeTap(String directory) {
    List<RingSighting> inFolder =
        sightings.stream().filter(seen -> seen.name().directory().equals(directory)).toList();
    return !inFolder.isEmpty()
        && inFolder.stream().allMatch(seen -> seen.ringCount() == inFolder.size());
  }
}
