// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import dev.flowstone.model.PacketRecord;
import dev.flowstone.rules.Rule;
import dev.flowstone.rules.RuleSet;
import dev.flowstone.rules.function.Aggregate;
import java.lang.foreign.MemorySegment;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple3;
import org.apache.flink.api.java.tuple.Tuple5;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;

/**
 * Flow records as Flink's textbook has them: packets, bytes, first and last time and flags of a
 * flow as its keyed state, told when the active or the idle timeout has passed. Tuned: a flow has
 * one timer, which looks again when packets came meanwhile.
 */
final class KeyedFlowRecords
    extends KeyedProcessFunction<
        Tuple3<Long, Long, Long>,
        Tuple5<Long, Long, Long, Long, Long>,
        Tuple5<Long, Long, Long, Long, Long>> {
  private static final long serialVersionUID = 1L;

  /** As {@link KeyedHistograms#PACKET_TYPE}, then length and flags. */
  static final TypeInformation<Tuple5<Long, Long, Long, Long, Long>> PACKET_TYPE =
      Types.TUPLE(Types.LONG, Types.LONG, Types.LONG, Types.LONG, Types.LONG);

  /** Packets, bytes, first time, last time, flags. */
  private static final TypeInformation<Tuple5<Long, Long, Long, Long, Long>> RECORD_TYPE =
      PACKET_TYPE;

  private static final long NS_PER_MS = 1_000_000;

  /** By rule; of others nothing. */
  private final long[] activeNs;

  private final long[] idleNs;
  private transient ValueState<Tuple5<Long, Long, Long, Long, Long>> records;

  private KeyedFlowRecords(RuleSet rules) {
    activeNs = new long[rules.size()];
    idleNs = new long[rules.size()];
    for (int i = 0; i < rules.size(); i++) {
      Rule rule = rules.rules().get(i);
      if (rule.function() instanceof Aggregate aggregate) {
        activeNs[i] = aggregate.activeTimeout().toNanos();
        idleNs[i] = aggregate.idleTimeout().toNanos();
      }
    }
  }

  /** Of packets that have their own time. */
  static SingleOutputStreamOperator<Tuple5<Long, Long, Long, Long, Long>> of(
      DataStream<Tuple5<Long, Long, Long, Long, Long>> packets, RuleSet rules) {
    return packets
        .keyBy(
            packet -> Tuple3.of(packet.f0, packet.f1, packet.f2),
            Types.TUPLE(Types.LONG, Types.LONG, Types.LONG))
        .process(new KeyedFlowRecords(rules))
        .returns(RECORD_TYPE);
  }

  static Tuple5<Long, Long, Long, Long, Long> packet(PacketView packet, int rule) {
    MemorySegment segment = packet.segment();
    long offset = packet.offset();
    long lengthAndFlags =
        (long) PacketRecord.frameLength(PacketRecord.descriptor(segment, offset)) << Byte.SIZE
            | PacketRecord.tcpFlags(segment, offset);
    return Tuple5.of(
        PacketRecord.sourceAddressLow(segment, offset),
        PacketRecord.destinationAddressLow(segment, offset),
        KeyedHistograms.portsAndRule(packet, rule),
        packet.timeNs(),
        lengthAndFlags);
  }

  @Override
  public void open(OpenContext context) {
    records = getRuntimeContext().getState(new ValueStateDescriptor<>("record", RECORD_TYPE));
  }

  @Override
  public void processElement(
      Tuple5<Long, Long, Long, Long, Long> packet,
      Context context,
      Collector<Tuple5<Long, Long, Long, Long, Long>> out)
      throws Exception {
    int rule = KeyedHistograms.ruleOf(packet.f2);
    long timeNs = packet.f3;
    long bytes = packet.f4 >>> Byte.SIZE;
    long flags = packet.f4 & 0xff;
    Tuple5<Long, Long, Long, Long, Long> record = records.value();
    if (record != null
        && (timeNs - record.f3 > idleNs[rule] || timeNs - record.f2 >= activeNs[rule])) {
      out.collect(record);
      record = null;
    }
    if (record == null) {
      record = Tuple5.of(1L, bytes, timeNs, timeNs, flags);
      awaitEnd(record, rule, context);
    } else {
      record.f0++;
      record.f1 += bytes;
      record.f3 = Math.max(record.f3, timeNs);
      record.f4 |= flags;
    }
    records.update(record);
  }

  private void awaitEnd(Tuple5<Long, Long, Long, Long, Long> record, int rule, Context context) {
    context.timerService().registerEventTimeTimer(endNs(record, rule) / NS_PER_MS + 1);
  }

  private long endNs(Tuple5<Long, Long, Long, Long, Long> record, int rule) {
    return Math.min(record.f2 + activeNs[rule], record.f3 + idleNs[rule]);
  }

  @Override
  public void onTimer(
      long timeMs, OnTimerContext context, Collector<Tuple5<Long, Long, Long, Long, Long>> out)
      throws Exception {
    Tuple5<Long, Long, Long, Long, Long> record = records.value();
    int rule = KeyedHistograms.ruleOf(context.getCurrentKey().f2);
    if (record == null) {
      return;
    }
    if (endNs(record, rule) / NS_PER_MS < timeMs) {
      out.collect(record);
      records.clear();
    } else {
      awaitEnd(record, rule, context);
    }
  }
}
