// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.replay;

import dev.flowstone.model.abi.RawPacketFlag;
import dev.flowstone.raw.PacketSource;
import dev.flowstone.raw.RawPacketBatch;
import dev.flowstone.raw.SourceCounters;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Replays to the end, checking that every descriptor stays inside its base. */
record ReplayRun(List<Packet> packets, Map<Long, Long> lossesBeforeNs, SourceCounters counters) {
  /** Where nothing follows. */
  private static final long THE_END = Long.MAX_VALUE;

  record Packet(long timeNs, long captured, long wire, int linkType, int flags, int file) {
    boolean timed() {
      return (flags & RawPacketFlag.UNTIMED) == 0;
    }
  }

  private static final int ENOUGH = 5_000_000;

  static ReplayRun of(Path... files) {
    return of(new ReplayOptions(List.of(files), 1), 100);
  }

  static ReplayRun of(ReplayOptions options, int batchCapacity) {
    List<Packet> packets = new ArrayList<>();
    Map<Long, Long> losses = new TreeMap<>();
    try (ReplaySource source = new ReplaySource(options);
        RawPacketBatch batch = new RawPacketBatch(batchCapacity)) {
      while (source.fill(batch) != PacketSource.END && packets.size() < ENOUGH) {
        addLosses(losses, batch.timeNs(0), source.takeLostBeforeTap());
        for (int i = 0; i < batch.count(); i++) {
          if (batch.capturedBytes(i) < 0
              || batch.dataOffset(i) < 0
              || batch.dataOffset(i) + batch.capturedBytes(i) > batch.base().byteSize()) {
            throw new AssertionError("descriptor " + i + " points outside the file");
          }
          packets.add(
              new Packet(
                  batch.timeNs(i),
                  batch.capturedBytes(i),
                  batch.wireBytes(i),
                  batch.linkType(i),
                  batch.flags(i),
                  (int) batch.base().byteSize()));
        }
      }
      addLosses(losses, THE_END, source.takeLostBeforeTap());
      return new ReplayRun(packets, losses, source.counters());
    }
  }

  private static void addLosses(Map<Long, Long> losses, long nextTimeNs, long lost) {
    if (lost > 0) {
      losses.merge(nextTimeNs, lost, Long::sum);
    }
  }

  long losses() {
    return lossesBeforeNs.values().stream().mapToLong(Long::longValue).sum();
  }

  Map<Integer, Integer> linkTypes() {
    Map<Integer, Integer> counts = new TreeMap<>();
    packets.forEach(packet -> counts.merge(packet.linkType(), 1, Integer::sum));
    return counts;
  }

  List<Long> timesNs() {
    return packets.stream().map(Packet::timeNs).toList();
  }
}
