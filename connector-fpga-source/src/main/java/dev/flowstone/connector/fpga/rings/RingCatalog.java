// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.rings;

import dev.flowstone.offheap.ring.RingStart;
import java.util.List;
import java.util.Optional;

/** The rings of this host: all that the source knows of the world outside Flink. One thread. */
public interface RingCatalog {

  /** The host whose rings these are. */
  String host();

  /** The rings there now; a ring that cannot be read at the moment is left out. */
  List<RingSighting> discover();

  /**
   * Opens the ring of a stream for the one reader that holds its space, and fences whoever held it
   * before.
   *
   * @return empty when there is no such ring (yet, or any more)
   * @throws dev.flowstone.offheap.ring.RingFileException when there is one, but unusable
   * @throws dev.flowstone.offheap.ring.LaneTakenException when another job reads it under the name
   *     of this one, and lives
   */
  Optional<OpenRing> open(long stream, RingStart start);
}
