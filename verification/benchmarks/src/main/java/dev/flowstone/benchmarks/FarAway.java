// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.model.PacketRecord;
import dev.flowstone.operators.user.PacketFunction;
import dev.flowstone.operators.user.PacketFunctionContext;
import dev.flowstone.results.Result;
import dev.flowstone.results.ResultFields;
import dev.flowstone.results.RuleTag;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * A function as users write them: how many packets of each second come from far away, by what is
 * left of their time to live.
 */
public final class FarAway implements PacketFunction {
  static final String BELOW = "below";
  static final long SECOND_NS = 1_000_000_000;

  private final NavigableMap<Long, Long> packetsBySecond = new TreeMap<>();
  private PacketFunctionContext context;
  private int below;

  /** Of one second. */
  record Count(RuleTag rule, long timeNs, long packets) implements Result {
    @Override
    public String kind() {
      return "far_away";
    }

    @Override
    public void describe(ResultFields fields) {
      fields.number("packets", packets);
    }
  }

  @Override
  public void open(PacketFunctionContext opened) {
    context = opened;
    below = Integer.parseInt(opened.options().get(BELOW));
  }

  @Override
  public void process(PacketBlock packets) {
    final MemorySegment records = packets.segment();
    long second = Long.MIN_VALUE;
    long ofSecond = 0;
    for (int i = 0; i < packets.count(); i++) {
      if (PacketRecord.timeToLive(records, packets.offsetOf(i)) < below) {
        long its = Math.floorDiv(packets.timeNs(i), SECOND_NS);
        if (its != second) {
          add(second, ofSecond);
          second = its;
          ofSecond = 0;
        }
        ofSecond++;
      }
    }
    add(second, ofSecond);
  }

  private void add(long second, long packets) {
    if (packets > 0) {
      packetsBySecond.merge(second, packets, Long::sum);
    }
  }

  @Override
  public void advance(long earliestNs) {
    var over = packetsBySecond.headMap(Math.floorDiv(earliestNs, SECOND_NS));
    over.forEach(
        (second, packets) ->
            context.emit(new Count(context.rule(), (second + 1) * SECOND_NS, packets)));
    over.clear();
  }

  @Override
  public byte[] snapshot() {
    ByteBuffer bytes = ByteBuffer.allocate(packetsBySecond.size() * 2 * Long.BYTES);
    packetsBySecond.forEach((second, packets) -> bytes.putLong(second).putLong(packets));
    return bytes.array();
  }

  @Override
  public void restore(List<byte[]> parts) {
    for (byte[] part : parts) {
      ByteBuffer bytes = ByteBuffer.wrap(part);
      while (bytes.hasRemaining()) {
        packetsBySecond.merge(bytes.getLong(), bytes.getLong(), Long::sum);
      }
    }
  }
}
