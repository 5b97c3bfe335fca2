// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import dev.flowstone.model.PacketRecord;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.api.java.tuple.Tuple3;
import org.apache.flink.api.java.tuple.Tuple4;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;

/**
 * What {@link HistogramBenchmark} is compared with: a histogram of inter-arrival times per flow as
 * Flink's textbook has it, a {@code keyBy} and a state by key. Tuned: a flow's state is one array
 * of bytes, which is stored as it is; HdrHistogram's steps of a sixteenth without its objects; a
 * timer for each flow and interval. Of IPv6 addresses it knows half, which is in its favour.
 */
final class KeyedHistograms
    extends KeyedProcessFunction<
        Tuple3<Long, Long, Long>, Tuple4<Long, Long, Long, Long>, Tuple3<Long, Long, byte[]>> {
  private static final long serialVersionUID = 1L;

  /** Before the counts: time of the latest packet, end of the interval that is counted. */
  private static final int LATEST = 0;

  private static final int END = 8;
  private static final long NOTHING_TO_TELL = 0;
  private static final int COUNTS = 16;

  /** Steps of 64 ns up to 2 us, then 16 for each power of two up to 17 s. */
  private static final int UNIT_LOG2 = 6;

  private static final int HALF_STEPS = 16;
  private static final int HALF_STEPS_LOG2 = 4;
  private static final long FIRST_GROUP = 2 * HALF_STEPS - 1;
  private static final int GROUPS = 24;
  private static final int BYTES = COUNTS + (GROUPS + 1) * HALF_STEPS * Integer.BYTES;

  private static final long NS_PER_MS = 1_000_000;

  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

  private final long intervalNs;
  private transient ValueState<byte[]> states;

  private KeyedHistograms(Duration interval) {
    intervalNs = interval.toNanos();
  }

  static void build(StreamExecutionEnvironment environment, Path rings, Duration interval) {
    SingleOutputStreamOperator<Tuple4<Long, Long, Long, Long>> packets =
        PacketView.each(CountedBlocks.of(environment, rings))
            .map(KeyedHistograms::addressesPortsAndTime)
            .returns(Types.TUPLE(Types.LONG, Types.LONG, Types.LONG, Types.LONG));
    CountedResults.end(
        OwnTime.of(packets, packet -> packet.f3)
            .keyBy(
                (KeySelector<Tuple4<Long, Long, Long, Long>, Tuple3<Long, Long, Long>>)
                    packet -> Tuple3.of(packet.f0, packet.f1, packet.f2),
                Types.TUPLE(Types.LONG, Types.LONG, Types.LONG))
            .process(new KeyedHistograms(interval))
            .returns(
                Types.TUPLE(
                    Types.LONG,
                    Types.LONG,
                    PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO)));
  }

  private static Tuple4<Long, Long, Long, Long> addressesPortsAndTime(PacketView packet) {
    MemorySegment segment = packet.segment();
    long offset = packet.offset();
    long ports =
        (long) PacketRecord.protocol(segment, offset) << Integer.SIZE
            | (long) PacketRecord.sourcePort(segment, offset) << Short.SIZE
            | PacketRecord.destinationPort(segment, offset);
    return Tuple4.of(
        PacketRecord.sourceAddressLow(segment, offset),
        PacketRecord.destinationAddressLow(segment, offset),
        ports,
        packet.timeNs());
  }

  @Override
  public void open(OpenContext context) {
    states =
        getRuntimeContext()
            .getState(
                new ValueStateDescriptor<>(
                    "histogram", PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO));
  }

  @Override
  public void processElement(
      Tuple4<Long, Long, Long, Long> packet,
      Context context,
      Collector<Tuple3<Long, Long, byte[]>> out)
      throws Exception {
    long timeNs = packet.f3;
    byte[] state = states.value();
    boolean isNew = state == null;
    if (isNew) {
      state = new byte[BYTES];
    }
    if (timeNs >= (long) LONG.get(state, END)) {
      tell(context.getCurrentKey(), state, out);
      long endNs = timeNs - Math.floorMod(timeNs, intervalNs) + intervalNs;
      LONG.set(state, END, endNs);
      context.timerService().registerEventTimeTimer(endNs / NS_PER_MS - 1);
    }
    if (!isNew) {
      long gapNs = timeNs - (long) LONG.get(state, LATEST);
      int at = COUNTS + indexOf(Math.max(0, gapNs)) * Integer.BYTES;
      INT.set(state, at, (int) INT.get(state, at) + 1);
    }
    LONG.set(state, LATEST, timeNs);
    states.update(state);
  }

  /** As HdrHistogram finds it; what is beyond the range counts in the last. */
  static int indexOf(long gapNs) {
    long units = gapNs >>> UNIT_LOG2;
    int group =
        Long.numberOfLeadingZeros(FIRST_GROUP) - Long.numberOfLeadingZeros(units | FIRST_GROUP);
    int index = (group << HALF_STEPS_LOG2) + (int) (units >>> group);
    return Math.min(index, (GROUPS + 1) * HALF_STEPS - 1);
  }

  @Override
  public void onTimer(
      long timeMs, OnTimerContext context, Collector<Tuple3<Long, Long, byte[]>> out)
      throws Exception {
    byte[] state = states.value();
    if ((long) LONG.get(state, END) / NS_PER_MS - 1 == timeMs) {
      tell(context.getCurrentKey(), state, out);
      states.update(state);
    }
  }

  private static void tell(
      Tuple3<Long, Long, Long> flow, byte[] state, Collector<Tuple3<Long, Long, byte[]>> out) {
    long endNs = (long) LONG.get(state, END);
    if (endNs != NOTHING_TO_TELL) {
      out.collect(Tuple3.of(flow.f0, endNs, state.clone()));
      Arrays.fill(state, COUNTS, BYTES, (byte) 0);
      LONG.set(state, END, NOTHING_TO_TELL);
    }
  }
}
