// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.connector.fpga.rings.RingRun;
import dev.flowstone.model.FlowTuple;
import dev.flowstone.model.PacketRecord;
import dev.flowstone.offheap.ring.GatingReader;
import dev.flowstone.offheap.ring.RingFile;
import dev.flowstone.offheap.ring.RingReader.Poll;
import dev.flowstone.offheap.ring.RingStart;
import dev.flowstone.raw.PacketSource;
import java.lang.foreign.MemorySegment;
import java.util.HashSet;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** As the parser sees it. */
class UniformFlowsTest {
  private static final int PACKETS = 20_000;
  private static final int FLOWS = 100;
  private static final int SYN_ONE_IN = 64;
  private static final long PACKETS_PER_SECOND = 10_000_000;

  private final Set<FlowTuple> flows = new HashSet<>();
  private final Set<Long> attacked = new HashSet<>();
  private final Set<Long> times = new TreeSet<>();
  private int syns;

  @Test
  void shouldHaveSoManyFlowsAndSynsAndNoTimeTwice() throws Exception {
    try (PacketSource source =
            UniformFlows.withSyns(FLOWS, PACKETS_PER_SECOND, SYN_ONE_IN, PACKETS);
        FilledRings rings = FilledRings.with(source, PACKETS)) {
      for (var file : rings.files()) {
        read(RingFile.open(file));
      }
    }
    assertThat(flows).hasSize(FLOWS);
    assertThat(syns).isEqualTo(Math.ceilDiv(PACKETS, SYN_ONE_IN));
    assertThat(attacked).hasSizeBetween(200, UniformFlows.DESTINATIONS);
    assertThat(times).hasSize(PACKETS);
  }

  private void read(RingFile file) {
    try (LappingRing ring =
        new LappingRing(
            file, each -> new GatingReader(each, "test", RingStart.OLDEST), new Laps())) {
      long packets = 0;
      while (packets < file.counters().writtenPackets()) {
        if (ring.poll(1000) == Poll.PACKETS) {
          RingRun run = ring.run();
          for (int i = 0; i < run.count(); i++) {
            long at = run.offsetBytes() + (long) i * RingFile.SLOT_BYTES;
            add(run.slots(), at, run.timeBaseNs());
          }
          packets += run.count();
        }
      }
    }
  }

  private void add(MemorySegment slots, long at, long timeBaseNs) {
    times.add(PacketRecord.timeNs(PacketRecord.timeLow(slots, at), timeBaseNs));
    if (PacketRecord.tcpFlags(slots, at) == 0x02) {
      syns++;
      attacked.add(PacketRecord.destinationAddressLow(slots, at));
    } else {
      flows.add(FlowTuple.of(slots, at));
    }
  }
}
