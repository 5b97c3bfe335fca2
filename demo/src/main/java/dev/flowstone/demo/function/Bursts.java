// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo.function;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.model.FlowTuple;
import dev.flowstone.model.PacketRecord;
import dev.flowstone.operators.user.PacketFunction;
import dev.flowstone.operators.user.PacketFunctionContext;
import java.nio.ByteBuffer;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Bursts: many packets of a flow, each soon after the one before. Options: {@code gap_ns}, the
 * longest time between two packets of a burst, and {@code least_packets} of what is told.
 */
public final class Bursts implements PacketFunction {
  /** Of more flows, the run of the one that was not seen for longest ends. */
  static final int MOST_FLOWS = 4_096;

  private static final String USUAL_GAP_NS = "10000";
  private static final String USUAL_LEAST_PACKETS = "100";

  /** That of the flow that was not seen for longest comes first. */
  private final LinkedHashMap<FlowTuple, Run> runs = new LinkedHashMap<>(16, 0.75f, true);

  private PacketFunctionContext context;
  private long gapNs;
  private long leastPackets;

  @Override
  public void open(PacketFunctionContext opened) {
    context = opened;
    Map<String, String> options = opened.options();
    gapNs = Long.parseLong(options.getOrDefault("gap_ns", USUAL_GAP_NS));
    leastPackets = Long.parseLong(options.getOrDefault("least_packets", USUAL_LEAST_PACKETS));
  }

  @Override
  public void process(PacketBlock packets) {
    for (int i = 0; i < packets.count(); i++) {
      long at = packets.offsetOf(i);
      int bytes = PacketRecord.frameLength(PacketRecord.descriptor(packets.segment(), at));
      add(FlowTuple.of(packets.segment(), at), packets.timeNs(i), bytes);
    }
  }

  private void add(FlowTuple flow, long timeNs, int bytes) {
    Run run = runs.get(flow);
    if (run != null && timeNs - run.lastNs() <= gapNs) {
      runs.put(flow, run.with(timeNs, bytes));
      return;
    }
    if (run != null) {
      tell(flow, run);
    }
    runs.put(flow, new Run(timeNs, timeNs, 1, bytes));
    if (runs.size() > MOST_FLOWS) {
      Map.Entry<FlowTuple, Run> eldest = runs.pollFirstEntry();
      tell(eldest.getKey(), eldest.getValue());
    }
  }

  private void tell(FlowTuple flow, Run run) {
    if (run.packets() >= leastPackets) {
      context.emit(new Burst(context.rule(), flow, run));
    }
  }

  /** Runs that no packet can join any more. */
  @Override
  public void advance(long earliestNs) {
    Iterator<Map.Entry<FlowTuple, Run>> each = runs.entrySet().iterator();
    while (each.hasNext()) {
      Map.Entry<FlowTuple, Run> run = each.next();
      if (run.getValue().lastNs() + gapNs < earliestNs) {
        tell(run.getKey(), run.getValue());
        each.remove();
      }
    }
  }

  @Override
  public byte[] snapshot() {
    ByteBuffer bytes = ByteBuffer.allocate(runs.size() * RunState.BYTES);
    runs.forEach((flow, run) -> RunState.put(bytes, flow, run));
    return bytes.array();
  }

  @Override
  public void restore(List<byte[]> parts) {
    for (byte[] part : parts) {
      for (ByteBuffer bytes = ByteBuffer.wrap(part); bytes.hasRemaining(); ) {
        FlowTuple flow = RunState.flow(bytes);
        runs.put(flow, RunState.run(bytes));
      }
    }
  }
}
