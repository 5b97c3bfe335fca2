// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import dev.flowstone.model.PacketRecord;
import dev.flowstone.operators.ruled.RulesInForce;
import dev.flowstone.operators.ruled.RulesText;
import dev.flowstone.rules.classify.Classifier;
import dev.flowstone.rules.function.Aggregate;
import dev.flowstone.rules.function.Anomaly;
import dev.flowstone.rules.function.Detector;
import dev.flowstone.rules.function.Drop;
import dev.flowstone.rules.function.Histogram;
import dev.flowstone.rules.function.Pass;
import dev.flowstone.rules.function.Sample;
import dev.flowstone.rules.function.ServiceFunction;
import dev.flowstone.rules.function.UserFunction;
import dev.flowstone.stages.StageMetrics;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.api.java.tuple.Tuple3;
import org.apache.flink.api.java.tuple.Tuple4;
import org.apache.flink.api.java.tuple.Tuple5;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.streaming.api.functions.ProcessFunction;
import org.apache.flink.util.Collector;
import org.apache.flink.util.OutputTag;

/**
 * Sends each packet, or what is asked of it, to the function that its rule names: of {@link
 * PerRecordPlatform} what knows packets.
 */
final class PerRecordRules extends ProcessFunction<PacketView, PacketView> {
  private static final long serialVersionUID = 1L;

  static final OutputTag<Tuple5<Long, Long, Long, Long, Long>> TO_FLOW_RECORDS =
      new OutputTag<>("flow-records", KeyedFlowRecords.PACKET_TYPE);
  static final OutputTag<Tuple4<Long, Long, Long, Long>> TO_GAPS_OF_FLOWS =
      new OutputTag<>("gaps-of-flows", KeyedHistograms.PACKET_TYPE);
  static final OutputTag<Tuple4<Long, Long, Long, Long>> TO_GAPS =
      new OutputTag<>("gaps", KeyedHistograms.PACKET_TYPE);
  static final OutputTag<Tuple3<Long, Long, Long>> TO_SIZES =
      new OutputTag<>("sizes", ValueHistograms.VALUE_TYPE);
  static final OutputTag<Tuple2<Long, Long>> TO_DETECTORS =
      new OutputTag<>("detectors", Types.TUPLE(Types.LONG, Types.LONG));
  static final OutputTag<Long> TO_USER = new OutputTag<>("user", Types.LONG);
  private static final int FIN_SYN_RST = 0b111;
  private static final int SYN = 0x02;
  private static final int RST = 0x04;
  private static final int ACK = 0x10;
  private static final int PREFIX_BITS = 16;
  private static final long IPV4_MASK = 0xffff_ffffL;

  private final RulesText text;

  private transient Classifier classifier;
  private transient ServiceFunction[] functions;
  private transient Counter[] packetsOfRule;
  private transient int[] countOfRule;
  private transient int below;
  private transient SplittableRandom random;

  PerRecordRules(RulesText text) {
    this.text = text;
  }

  @Override
  public void open(OpenContext context) {
    RulesInForce rules = text.read();
    classifier = Classifier.of(rules.rules());
    functions = new ServiceFunction[rules.size()];
    Arrays.setAll(functions, rules::function);
    MetricGroup metrics = StageMetrics.of(getRuntimeContext().getMetricGroup());
    packetsOfRule = new Counter[rules.size()];
    Arrays.setAll(
        packetsOfRule,
        rule ->
            metrics
                .addGroup(RuleCounts.RULE, rules.tag(rule).name())
                .counter(RuleCounts.PACKETS_OF_RULE));
    countOfRule = new int[rules.size()];
    random = new SplittableRandom(0);
    for (ServiceFunction function : functions) {
      if (function instanceof UserFunction user) {
        below = Integer.parseInt(user.options().get(FarAway.BELOW));
      }
    }
  }

  @Override
  public void processElement(PacketView packet, Context context, Collector<PacketView> out) {
    MemorySegment records = packet.segment();
    long at = packet.offset();
    int rule = classifier.classify(records, at);
    packetsOfRule[rule].inc();
    switch (functions[rule]) {
      case Pass _ -> out.collect(packet);
      case Sample sample -> {
        if (isChosen(sample, rule, records, at)) {
          out.collect(packet);
        }
      }
      case Aggregate _ -> context.output(TO_FLOW_RECORDS, KeyedFlowRecords.packet(packet, rule));
      case Histogram histogram -> count(histogram, rule, packet, context);
      case Anomaly anomaly -> watch(anomaly.detectors().getFirst(), rule, records, at, context);
      case UserFunction _ -> {
        if (PacketRecord.timeToLive(records, at) < below) {
          context.output(TO_USER, (long) rule);
        }
      }
      case Drop _ -> {
        // Its rule has counted it.
      }
    }
  }

  private boolean isChosen(Sample sample, int rule, MemorySegment records, long at) {
    if (sample.keepSynFinRst() && (PacketRecord.tcpFlags(records, at) & FIN_SYN_RST) != 0) {
      return true;
    }
    return switch (sample.by()) {
      case PACKETS -> countOfRule[rule]++ % sample.oneIn() == 0;
      case FLOWS ->
          Integer.remainderUnsigned(PacketRecord.flowHash(records, at), sample.oneIn()) == 0;
      case RANDOM -> random.nextInt(sample.oneIn()) == 0;
    };
  }

  private static void count(Histogram histogram, int rule, PacketView packet, Context context) {
    switch (histogram.per()) {
      case FLOW -> context.output(TO_GAPS_OF_FLOWS, KeyedHistograms.flowAndTime(packet, rule));
      case RULE -> context.output(TO_GAPS, KeyedHistograms.flowAndTime(packet, rule));
      case SOURCE_PREFIX, DESTINATION_PREFIX -> {
        MemorySegment records = packet.segment();
        long at = packet.offset();
        long prefix =
            (PacketRecord.destinationAddressLow(records, at) & IPV4_MASK)
                >>> (Integer.SIZE - PREFIX_BITS);
        long length = PacketRecord.frameLength(PacketRecord.descriptor(records, at));
        context.output(TO_SIZES, Tuple3.of(prefix, packet.timeNs(), length));
      }
    }
  }

  private static void watch(
      Detector detector, int rule, MemorySegment records, long at, Context context) {
    int flags = PacketRecord.tcpFlags(records, at);
    boolean isMeant =
        switch (detector.kind()) {
          case SYN_FLOOD -> (flags & (SYN | ACK)) == SYN;
          case RST_FLOOD -> (flags & RST) != 0;
          default -> true;
        };
    if (isMeant) {
      context.output(
          TO_DETECTORS, Tuple2.of(PacketRecord.destinationAddressLow(records, at), (long) rule));
    }
  }
}
