// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import dev.flowstone.model.PacketRecord;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.time.Duration;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple3;
import org.apache.flink.api.java.tuple.Tuple4;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * What {@link HistogramBenchmark} is compared with: inter-arrival times per flow. Of IPv6 addresses
 * it knows half, which is in its favour.
 */
final class KeyedHistograms
    extends HistogramsByKey<Tuple3<Long, Long, Long>, Tuple4<Long, Long, Long, Long>> {
  private static final long serialVersionUID = 1L;

  /** Addresses, what {@link #portsAndRule} makes, and the time of a packet. */
  static final TypeInformation<Tuple4<Long, Long, Long, Long>> PACKET_TYPE =
      Types.TUPLE(Types.LONG, Types.LONG, Types.LONG, Types.LONG);

  private static final int RULE_BIT = 40;

  KeyedHistograms(Duration interval) {
    super(interval);
  }

  static void build(StreamExecutionEnvironment environment, Path rings, Duration interval) {
    SingleOutputStreamOperator<Tuple4<Long, Long, Long, Long>> packets =
        PacketView.each(CountedBlocks.of(environment, rings))
            .map(packet -> flowAndTime(packet, 0))
            .returns(PACKET_TYPE);
    CountedResults.end(of(OwnTime.of(packets, packet -> packet.f3), interval));
  }

  /** Of packets that have their own time. */
  static SingleOutputStreamOperator<Tuple3<Long, Long, byte[]>> of(
      DataStream<Tuple4<Long, Long, Long, Long>> packets, Duration interval) {
    return packets
        .keyBy(
            packet -> Tuple3.of(packet.f0, packet.f1, packet.f2),
            Types.TUPLE(Types.LONG, Types.LONG, Types.LONG))
        .process(new KeyedHistograms(interval))
        .returns(TYPE);
  }

  static Tuple4<Long, Long, Long, Long> flowAndTime(PacketView packet, int rule) {
    MemorySegment segment = packet.segment();
    long offset = packet.offset();
    return Tuple4.of(
        PacketRecord.sourceAddressLow(segment, offset),
        PacketRecord.destinationAddressLow(segment, offset),
        portsAndRule(packet, rule),
        packet.timeNs());
  }

  /** What makes a flow beside its addresses. */
  static long portsAndRule(PacketView packet, int rule) {
    MemorySegment segment = packet.segment();
    long offset = packet.offset();
    return (long) rule << RULE_BIT
        | (long) PacketRecord.protocol(segment, offset) << Integer.SIZE
        | (long) PacketRecord.sourcePort(segment, offset) << Short.SIZE
        | PacketRecord.destinationPort(segment, offset);
  }

  static int ruleOf(long portsAndRule) {
    return (int) (portsAndRule >>> RULE_BIT);
  }

  @Override
  long timeNs(Tuple4<Long, Long, Long, Long> packet) {
    return packet.f3;
  }

  @Override
  long value(Tuple4<Long, Long, Long, Long> packet, long latestNs) {
    return latestNs == 0 ? NONE : Math.max(0, packet.f3 - latestNs);
  }

  @Override
  long numberOf(Tuple3<Long, Long, Long> flow) {
    return flow.f0;
  }
}
