// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import dev.flowstone.model.FlowTuple;
import dev.flowstone.model.PacketRecord;
import dev.flowstone.offheap.ring.RingFile;
import java.util.BitSet;
import java.util.List;
import java.util.SplittableRandom;

/** What filled rings hold, read where it lies. Whoever opens it closes it. One thread. */
final class RingRecords implements AutoCloseable {
  private static final int FLOW_SLOTS = 1 << 26;

  private final List<RingFile> files;

  private RingRecords(List<RingFile> files) {
    this.files = files;
  }

  static RingRecords of(FilledRings rings) {
    return new RingRecords(rings.files().stream().map(RingFile::open).toList());
  }

  /** The flow of a packet that is drawn. */
  FlowTuple drawFlow(SplittableRandom random) {
    while (true) {
      RingFile file = files.get(random.nextInt(files.size()));
      long record = file.slotOffset(random.nextLong(file.position()));
      int kind = PacketRecord.kind(PacketRecord.descriptor(file.slots(), record));
      if (PacketRecord.isIp(kind)) {
        return FlowTuple.of(file.slots(), record);
      }
    }
  }

  /** About how many, by how many of many slots no flow hash falls into. */
  long flows() {
    BitSet taken = new BitSet(FLOW_SLOTS);
    for (RingFile file : files) {
      for (long position = 0; position < file.position(); position++) {
        int hash = PacketRecord.flowHash(file.slots(), file.slotOffset(position));
        taken.set(hash & (FLOW_SLOTS - 1));
      }
    }
    double free = FLOW_SLOTS - (double) taken.cardinality();
    return Math.round(FLOW_SLOTS * Math.log(FLOW_SLOTS / free));
  }

  @Override
  public void close() {
    files.forEach(RingFile::close);
  }
}
