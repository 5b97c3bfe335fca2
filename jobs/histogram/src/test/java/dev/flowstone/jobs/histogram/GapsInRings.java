// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.histogram;

import dev.flowstone.model.FlowTuple;
import dev.flowstone.model.PacketRecord;
import dev.flowstone.offheap.ring.ObservingReader;
import dev.flowstone.offheap.ring.RingDirectory;
import dev.flowstone.offheap.ring.RingFile;
import dev.flowstone.offheap.ring.RingReader.Poll;
import dev.flowstone.offheap.ring.RingStart;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/** The times between the packets of each flow in rings, worked out one packet after the other. */
final class GapsInRings {
  private static final long CLOCK_STEP_NS = 1_000_000_000;
  private static final int AT_ONCE = 1_000;

  /** Of one flow; a packet before the latest time seen adds no gap. */
  static final class Gaps {
    private long latestNs;
    private boolean isBegun;
    private long count;
    private long least = Long.MAX_VALUE;
    private long greatest = -1;
    private long earlier;
    private long clockSteps;

    private void add(long timeNs, long rememberedNs) {
      long gapNs = timeNs - latestNs;
      if (!isBegun || gapNs > rememberedNs || gapNs < -CLOCK_STEP_NS) {
        clockSteps += isBegun && gapNs < 0 ? 1 : 0;
        latestNs = timeNs;
        isBegun = true;
      } else if (gapNs < 0) {
        earlier++;
      } else {
        count++;
        least = Math.min(least, gapNs);
        greatest = Math.max(greatest, gapNs);
        latestNs = timeNs;
      }
    }

    boolean wentBack() {
      return earlier + clockSteps > 0;
    }

    /** What a histogram says of the same, as one line. */
    String told() {
      return line(count, count == 0 ? -1 : least, greatest, earlier, clockSteps);
    }
  }

  private GapsInRings() {}

  static String line(long count, long least, long greatest, long earlier, long clockSteps) {
    return "%d gaps of %d to %d ns, %d earlier, %d clock steps"
        .formatted(count, least, greatest, earlier, clockSteps);
  }

  /** By flow; of packets whose times are no more than the order in a capture: none. */
  static Map<FlowTuple, Gaps> in(Path folder, int rings, Duration remembered) {
    Map<FlowTuple, Gaps> flows = new HashMap<>();
    for (int ring = 0; ring < rings; ring++) {
      try (RingFile file = RingFile.open(new RingDirectory(folder).ringFile(ring));
          ObservingReader reader = new ObservingReader(file, "observer", RingStart.OLDEST)) {
        for (Poll found = reader.poll(AT_ONCE);
            found == Poll.PACKETS || found == Poll.CLOCK;
            found = reader.poll(AT_ONCE)) {
          if (found == Poll.PACKETS && reader.time().isTrusted()) {
            addRun(file, reader, remembered.toNanos(), flows);
          }
        }
      }
    }
    return flows;
  }

  private static void addRun(
      RingFile file, ObservingReader reader, long rememberedNs, Map<FlowTuple, Gaps> flows) {
    for (int i = 0; i < reader.runCount(); i++) {
      long offset = file.slotOffset(reader.runPosition() + i);
      FlowTuple flow = FlowTuple.of(file.slots(), offset);
      long timeNs =
          PacketRecord.timeNs(PacketRecord.timeLow(file.slots(), offset), reader.time().baseNs());
      flows.computeIfAbsent(flow, _ -> new Gaps()).add(timeNs, rememberedNs);
    }
  }
}
