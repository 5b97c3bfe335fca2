// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.connector.fpga.operators.FlowWindowOperator;
import dev.flowstone.connector.fpga.operators.KeyGroupState;
import java.time.Duration;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.java.typeutils.TypeExtractor;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;

/**
 * Tumbling windows of event time for each flow, straight on blocks: no exchange of its own, no
 * object per packet. Each packet counts in the window of its own time. What is added up is in
 * checkpoints, by key group, so that the job may be restored with another parallelism.
 *
 * <p>A flow is what one side sends, see {@link dev.flowstone.model.FlowTuple}; packets without IP
 * are flows by EtherType. No packet is left out: results of the same flow and window add up to what
 * was in it. There is more than one of them when packets came after the watermark had passed their
 * window ({@code packetsLate} counts them), and when more flows were open than have room: then all
 * that was added up leaves early ({@code earlyResults}), and the windows go on from zero.
 */
public final class FlowWindows {
  private static final int USUAL_MOST_FLOWS = 1 << 18;

  private final Duration size;
  private final int mostFlows;

  private FlowWindows(Duration size, int mostFlows) {
    this.size = size;
    this.mostFlows = mostFlows;
  }

  /** Windows of this size, whole milliseconds, aligned to 1970 as Flink's own are. */
  public static FlowWindows of(Duration size) {
    if (size.isNegative() || size.isZero() || size.toNanos() % 1_000_000 != 0) {
      throw new IllegalArgumentException("a window has one millisecond or several: " + size);
    }
    return new FlowWindows(size, USUAL_MOST_FLOWS);
  }

  /**
   * Most flows of all open windows in one subtask, each some 200 bytes of heap; default 262,144.
   * More: fewer early results where there are many flows.
   */
  public FlowWindows mostFlows(int flows) {
    if (flows < 1) {
      throw new IllegalArgumentException("room for one flow or more: " + flows);
    }
    return new FlowWindows(size, flows);
  }

  /**
   * The results, when the watermark passes the end of their window. Losses come on the side output
   * {@link LostPackets#TAG}.
   *
   * @param blocks from {@link FlowExchange#blocksByFlow}; a subtask that gets a flow of another's
   *     fails the job
   */
  public <A, R> SingleOutputStreamOperator<R> aggregate(
      DataStream<PacketBlock> blocks, FlowAggregate<A, R> aggregate) {
    FlowWindowOperator<A, R> operator =
        new FlowWindowOperator<>(aggregate, typeOf(aggregate, 0), size.toNanos(), mostFlows);
    SingleOutputStreamOperator<R> results =
        blocks
            .transform("Flow windows", FlowWindows.<R>typeOf(aggregate, 1), operator)
            .setParallelism(blocks.getParallelism());
    KeyGroupState.keep(results);
    return results;
  }

  private static <T> TypeInformation<T> typeOf(FlowAggregate<?, ?> aggregate, int parameter) {
    return TypeExtractor.createTypeInfo(
        FlowAggregate.class, aggregate.getClass(), parameter, null, null);
  }
}
