// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.Arrays;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple3;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;

/**
 * Histograms as Flink's textbook has them, a {@code keyBy} and a state by key. Tuned: a key's state
 * is one array of bytes, which is stored as it is; HdrHistogram's steps of a sixteenth without its
 * objects; a timer for each key and interval. What it finds: number of the key, end of the
 * interval, state.
 */
abstract class HistogramsByKey<K, E>
    extends KeyedProcessFunction<K, E, Tuple3<Long, Long, byte[]>> {
  private static final long serialVersionUID = 1L;

  static final TypeInformation<Tuple3<Long, Long, byte[]>> TYPE =
      Types.TUPLE(Types.LONG, Types.LONG, PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO);

  /** Nothing to count. */
  static final long NONE = -1;

  /** Of the latest packet; 0: there was none. */
  private static final int LATEST = 0;

  /** Of the interval that is counted. */
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

  HistogramsByKey(Duration interval) {
    intervalNs = interval.toNanos();
  }

  abstract long timeNs(E element);

  /** What is counted, or {@link #NONE}. */
  abstract long value(E element, long latestNs);

  abstract long numberOf(K key);

  @Override
  public final void open(OpenContext context) {
    states =
        getRuntimeContext()
            .getState(
                new ValueStateDescriptor<>(
                    "histogram", PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO));
  }

  @Override
  public final void processElement(
      E element, Context context, Collector<Tuple3<Long, Long, byte[]>> out) throws Exception {
    long timeNs = timeNs(element);
    byte[] state = states.value();
    if (state == null) {
      state = new byte[BYTES];
    }
    if (timeNs >= (long) LONG.get(state, END)) {
      tell(context.getCurrentKey(), state, out);
      long endNs = timeNs - Math.floorMod(timeNs, intervalNs) + intervalNs;
      LONG.set(state, END, endNs);
      context.timerService().registerEventTimeTimer(endNs / NS_PER_MS - 1);
    }
    long value = value(element, (long) LONG.get(state, LATEST));
    if (value != NONE) {
      int at = COUNTS + indexOf(value) * Integer.BYTES;
      INT.set(state, at, (int) INT.get(state, at) + 1);
    }
    LONG.set(state, LATEST, timeNs);
    states.update(state);
  }

  /** As HdrHistogram finds it; what is beyond the range counts in the last. */
  static int indexOf(long value) {
    long units = value >>> UNIT_LOG2;
    int group =
        Long.numberOfLeadingZeros(FIRST_GROUP) - Long.numberOfLeadingZeros(units | FIRST_GROUP);
    int index = (group << HALF_STEPS_LOG2) + (int) (units >>> group);
    return Math.min(index, (GROUPS + 1) * HALF_STEPS - 1);
  }

  @Override
  public final void onTimer(
      long timeMs, OnTimerContext context, Collector<Tuple3<Long, Long, byte[]>> out)
      throws Exception {
    byte[] state = states.value();
    if ((long) LONG.get(state, END) / NS_PER_MS - 1 == timeMs) {
      tell(context.getCurrentKey(), state, out);
      states.update(state);
    }
  }

  private void tell(K key, byte[] state, Collector<Tuple3<Long, Long, byte[]>> out) {
    long endNs = (long) LONG.get(state, END);
    if (endNs != NOTHING_TO_TELL) {
      out.collect(Tuple3.of(numberOf(key), endNs, state.clone()));
      Arrays.fill(state, COUNTS, BYTES, (byte) 0);
      LONG.set(state, END, NOTHING_TO_TELL);
    }
  }

  /** How many values one of them has. */
  static long countOf(byte[] state) {
    long sum = 0;
    for (int at = COUNTS; at < BYTES; at += Integer.BYTES) {
      sum += (int) INT.get(state, at);
    }
    return sum;
  }
}
