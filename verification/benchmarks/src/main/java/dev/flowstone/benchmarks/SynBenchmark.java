// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import dev.flowstone.jobs.anomaly.Anomalies;
import dev.flowstone.model.PacketRecord;
import dev.flowstone.operators.ruled.FunctionKind;
import dev.flowstone.operators.ruled.RuledBlocks;
import dev.flowstone.raw.PacketSource;
import dev.flowstone.rules.function.Anomaly;
import dev.flowstone.rules.function.Detector;
import dev.flowstone.rules.function.Detector.Kind;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.windowing.assigners.TumblingEventTimeWindows;

/**
 * Packets per second that one core watches for SYN floods: windows of five seconds in which a
 * destination got more than ten SYNs. Beside Flink's textbook and beside the Kafka Streams program
 * that the field has for it.
 */
final class SynBenchmark implements Benchmark {
  private static final int FLOWS = 100_000;
  private static final int SYN_ONE_IN = 64;
  private static final int THRESHOLD = 10;

  /** About as fast as one core watches: time goes as fast in the packets as here. */
  private static final long PACKETS_PER_SECOND = 100_000_000;

  /** One message for each packet takes long enough to write. */
  private static final int MESSAGES_SHARE = 3;

  private static final String OF_RESAMPLED = "_resampled";

  private static final int SYN = 0x02;
  private static final int ACK = 0x10;

  @Override
  public String name() {
    return "syn";
  }

  @Override
  public String description() {
    return "packets/s per core watched for SYN floods; baselines: filter and window, Kafka Streams";
  }

  @Override
  public Steps steps(BenchScale scale) {
    Steps figure = Steps.of(scale, scale);
    return scale.isQuick() ? figure : figure.plus(Steps.of(scale)).plus(KafkaStreamsRates.STEPS);
  }

  @Override
  public BenchResult run(BenchScale scale) throws Exception {
    FlinkRates ours;
    FlinkRates windows;
    try (PacketSource source = traffic(scale.packets());
        FilledRings rings = FilledRings.with(source, scale.packets())) {
      ours = watched(rings, "panes", scale);
      Progress.step("filter and window", scale);
      try (FlinkRun run = FlinkRun.start(1, at -> buildWindows(at, rings.path()))) {
        windows = FlinkRates.of(run, scale);
      }
    }
    Map<String, Object> further = ours.toKeys("");
    further.put("baseline_by_the_clock", windows.byTheClock().median());
    further.put("windows_told", ours.results());
    further.put("syn_one_in", SYN_ONE_IN);
    further.put("clock", "CPU time of the process; of Kafka Streams with its broker's");
    if (!scale.isQuick()) {
      further.putAll(ofResampled(scale));
      long messages = scale.packets() / MESSAGES_SHARE;
      KafkaStreamsRates streams = KafkaStreamsRates.of(traffic(messages), messages);
      further.putAll(streams.toKeys());
      further.put("ratio_kafka_streams", ours.perCore().median() / streams.perCore().median());
    }
    return new BenchResult(
        name(),
        "packets/s",
        BenchResult.Better.MORE,
        ours.perCore(),
        windows.perCore(),
        "Flink's filter, keyBy destination, tumbling window and count, state on the heap",
        further);
  }

  private static Map<String, Object> ofResampled(BenchScale scale) throws Exception {
    try (FilledRings rings = FilledRings.with(Mix.RESAMPLED, scale.packets())) {
      FlinkRates resampled = watched(rings, "resampled traffic", scale);
      Map<String, Object> keys = resampled.toKeys(OF_RESAMPLED);
      keys.put("packets_per_result" + OF_RESAMPLED, resampled.packetsPerResult());
      keys.put("mix" + OF_RESAMPLED, Mix.RESAMPLED.describe());
      return keys;
    }
  }

  private static FlinkRates watched(FilledRings rings, String what, BenchScale scale)
      throws Exception {
    Progress.step(what, scale);
    try (FlinkRun run = FlinkRun.startAsUsersDo(1, at -> build(at, rings.path()))) {
      return FlinkRates.of(run, scale);
    }
  }

  private static PacketSource traffic(long packets) {
    return UniformFlows.withSyns(FLOWS, PACKETS_PER_SECOND, SYN_ONE_IN, packets);
  }

  private static void build(StreamExecutionEnvironment environment, Path rings) {
    Detector syns =
        new Detector(
            Kind.SYN_FLOOD,
            THRESHOLD,
            List.of(),
            Detector.USUAL_WINDOW,
            Detector.USUAL_WINDOW,
            Optional.empty(),
            Optional.empty());
    RuledBlocks ruled =
        RuledBlocks.of(
            CountedBlocks.byFlow(environment, rings),
            SamplingBenchmark.everyPacket(new Anomaly(List.of(syns))),
            "Rules");
    Anomalies found = Anomalies.of(ruled.of(FunctionKind.ANOMALY));
    CountedResults.end(found.alerts());
    CountedResults.end(found.synWindows());
  }

  /** As who writes it would: SYNs first, and of these the destination alone. */
  private static void buildWindows(StreamExecutionEnvironment environment, Path rings) {
    SingleOutputStreamOperator<Tuple2<Long, Long>> syns =
        PacketView.each(CountedBlocks.of(environment, rings))
            .filter(SynBenchmark::isSyn)
            .map(
                packet ->
                    Tuple2.of(
                        PacketRecord.destinationAddressLow(packet.segment(), packet.offset()),
                        packet.timeNs()))
            .returns(Types.TUPLE(Types.LONG, Types.LONG));
    CountedResults.end(
        OwnTime.of(syns, syn -> syn.f1)
            .keyBy(syn -> syn.f0)
            .window(TumblingEventTimeWindows.of(Detector.USUAL_WINDOW))
            .aggregate(new Count<>())
            .filter(count -> count > THRESHOLD));
  }

  private static boolean isSyn(PacketView packet) {
    return (PacketRecord.tcpFlags(packet.segment(), packet.offset()) & (SYN | ACK)) == SYN;
  }
}
