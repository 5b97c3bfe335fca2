// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.rings;

import dev.flowstone.offheap.ring.GatingReader;
import dev.flowstone.offheap.ring.RingFile;
import dev.flowstone.offheap.ring.RingStart;

/** A ring whose producer waits: packets stay where they lie until they are released. */
final class GatedRing extends FileRing {
  private final GatingReader reader;

  private GatedRing(RingFile file, GatingReader reader) {
    super(file, reader);
    this.reader = reader;
  }

  static GatedRing of(RingFile file, RingStart start, LaneUse lane) {
    return new GatedRing(file, new GatingReader(file, lane.reader(), start, lane.expiry()));
  }

  @Override
  public void release(long position) {
    reader.release(position);
  }

  @Override
  void putLaneAside() {
    reader.close();
  }
}
