// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.operators.ruled.RulesInForce;
import dev.flowstone.operators.ruled.RulesText;
import dev.flowstone.rules.function.Anomaly;
import dev.flowstone.rules.function.Detector;
import dev.flowstone.rules.function.Histogram;
import java.time.Duration;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.api.java.tuple.Tuple3;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.streaming.api.functions.windowing.WindowFunction;
import org.apache.flink.streaming.api.windowing.assigners.TumblingEventTimeWindows;
import org.apache.flink.streaming.api.windowing.windows.TimeWindow;
import org.apache.flink.util.Collector;

/**
 * What {@link PlatformBenchmark} is compared with: the same rules and functions for one packet
 * after the other, with Flink's keyed state and windows. Tuned: one object for all packets until
 * one is needed beyond its function, numbers instead of names, what no function asks for is left
 * behind at once, and the rule of a packet is found by our own classifier.
 *
 * <p>Of IPv6 addresses it knows half, alerts have no beginning and no end, sums per rule and prefix
 * are added up packet by packet: all of that is less than the platform job does.
 */
final class PerRecordPlatform {
  private PerRecordPlatform() {}

  static void build(DataStream<PacketBlock> blocks, RulesText text) {
    RulesInForce rules = text.read();
    long[] thresholds = thresholds(rules);
    int synRule = synRule(rules);
    RuleCounts.of(blocks);
    SingleOutputStreamOperator<PacketView> packets =
        OwnTime.of(PacketView.each(blocks), PacketView::timeNs)
            .process(new PerRecordRules(text), PacketView.TYPE)
            .name("Rules");
    packets
        .filter(new ToldPackets<>(PlatformBenchmark.PACKETS, _ -> 1))
        .sinkTo(new DiscardingSink<>());
    tell(
        KeyedFlowRecords.of(packets.getSideOutput(PerRecordRules.TO_FLOW_RECORDS), rules.rules()),
        "flow records",
        record -> record.f0);
    DataStream<Tuple3<Long, Long, byte[]>> histograms =
        KeyedHistograms.of(
                packets.getSideOutput(PerRecordRules.TO_GAPS_OF_FLOWS), Histogram.USUAL_INTERVAL)
            .union(
                ValueHistograms.of(
                    FlowGaps.of(packets.getSideOutput(PerRecordRules.TO_GAPS)),
                    Histogram.USUAL_INTERVAL),
                ValueHistograms.of(
                    packets.getSideOutput(PerRecordRules.TO_SIZES), Histogram.USUAL_INTERVAL));
    tell(histograms, "histograms", histogram -> HistogramsByKey.countOf(histogram.f2));
    tell(
        packets
            .getSideOutput(PerRecordRules.TO_DETECTORS)
            .keyBy(
                subject -> Tuple2.of(subject.f0, subject.f1), Types.TUPLE(Types.LONG, Types.LONG))
            .window(TumblingEventTimeWindows.of(Detector.USUAL_WINDOW))
            .aggregate(new Count<>(), new WithRule())
            .returns(Types.TUPLE(Types.LONG, Types.LONG))
            .filter(window -> window.f1 > thresholds[window.f0.intValue()]),
        "syn windows",
        window -> window.f0 == synRule ? window.f1 : 0);
    tell(
        packets
            .getSideOutput(PerRecordRules.TO_USER)
            .keyBy(rule -> rule, Types.LONG)
            .window(TumblingEventTimeWindows.of(Duration.ofNanos(FarAway.SECOND_NS)))
            .aggregate(new Count<>()),
        "of the user's functions",
        count -> count);
  }

  /** By rule; of others 0. */
  private static long[] thresholds(RulesInForce rules) {
    long[] thresholds = new long[rules.size()];
    for (int rule = 0; rule < rules.size(); rule++) {
      if (rules.function(rule) instanceof Anomaly anomaly) {
        thresholds[rule] = anomaly.detectors().getFirst().threshold();
      }
    }
    return thresholds;
  }

  private static int synRule(RulesInForce rules) {
    for (int rule = 0; rule < rules.size(); rule++) {
      if (rules.function(rule) instanceof Anomaly anomaly
          && anomaly.detectors().getFirst().kind() == Detector.Kind.SYN_FLOOD) {
        return rule;
      }
    }
    throw new IllegalArgumentException("no rule watches for SYN floods");
  }

  private static <T> void tell(
      DataStream<T> results, String name, ToldPackets.PacketsOf<T> packetsOf) {
    CountedResults.end(results.filter(new ToldPackets<>(name, packetsOf)));
  }

  /** Of a destination the rule and the count. */
  private static final class WithRule
      implements WindowFunction<Long, Tuple2<Long, Long>, Tuple2<Long, Long>, TimeWindow> {
    private static final long serialVersionUID = 1L;

    @Override
    public void apply(
        Tuple2<Long, Long> subject,
        TimeWindow window,
        Iterable<Long> counts,
        Collector<Tuple2<Long, Long>> out) {
      counts.forEach(count -> out.collect(Tuple2.of(subject.f1, count)));
    }
  }
}
