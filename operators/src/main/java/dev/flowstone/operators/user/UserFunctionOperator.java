// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.user;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.connector.fpga.operators.EventTime;
import dev.flowstone.operators.LoggedClose;
import dev.flowstone.operators.ruled.RuledBlock;
import dev.flowstone.operators.ruled.RulesInForce;
import dev.flowstone.results.Result;
import dev.flowstone.results.RuleTag;
import dev.flowstone.rules.function.UserFunction;
import dev.flowstone.stages.RuleLabels;
import dev.flowstone.stages.StageMetrics;
import java.io.File;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs users' functions, one for each rule. One that throws costs its packets of that block, which
 * are counted, and is called again with the next: the other rules' packets have nothing to do with
 * it. One that cannot be made, opened or restored, or cannot say what it knows, takes its packets
 * in the same way, and the state that it had stays in the checkpoints.
 */
final class UserFunctionOperator extends AbstractStreamOperator<Result>
    implements OneInputStreamOperator<RuledBlock, Result> {
  private static final long serialVersionUID = 1L;
  private static final Logger LOG = LoggerFactory.getLogger(UserFunctionOperator.class);

  /** Of metrics that functions make. */
  private static final String GROUP = "user";

  private final File folder;

  private transient FunctionJars jars;
  private transient ListState<Tuple2<Long, byte[]>> saved;
  private transient Map<Long, List<byte[]>> restored;
  private transient Map<Long, RunningFunction> running;
  private transient RulesInForce rules;
  private transient RunningFunction[] ofRule;
  private transient int[] indexes;
  private transient int[] counts;
  private transient long earliestNs;
  private transient StreamRecord<Result> record;
  private transient MetricGroup stageMetrics;
  private transient Counter packetsIn;
  private transient Counter packetsFailed;
  private transient Counter functionFailures;
  private transient RunningFunction.Surroundings surroundings;
  private transient RuleLabels labels;
  private transient Map<String, MetricGroup> metricsByLabel;

  UserFunctionOperator(File folder) {
    this.folder = folder;
  }

  @Override
  public void initializeState(StateInitializationContext context) throws Exception {
    super.initializeState(context);
    saved =
        context
            .getOperatorStateStore()
            .getListState(
                new ListStateDescriptor<>(
                    "user-functions",
                    Types.TUPLE(
                        Types.LONG, PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO)));
    restored = new HashMap<>();
    for (Tuple2<Long, byte[]> part : saved.get()) {
      restored.merge(part.f0, List.of(part.f1), UserFunctionOperator::joined);
    }
    jars = FunctionJars.open(folder, getUserCodeClassloader());
    running = new HashMap<>();
    indexes = new int[0];
    earliestNs = Long.MIN_VALUE;
    record = new StreamRecord<>(null);
    stageMetrics = StageMetrics.of(getMetricGroup());
    packetsIn = stageMetrics.counter("packets");
    packetsFailed = stageMetrics.counter("packetsFailed");
    functionFailures = stageMetrics.counter("functionFailures");
    labels = new RuleLabels();
    metricsByLabel = new HashMap<>();
    surroundings =
        new RunningFunction.Surroundings(
            jars,
            getRuntimeContext().getTaskInfo().getIndexOfThisSubtask(),
            packetsFailed,
            functionFailures,
            stageMetrics.counter("resultsOut"),
            this::send);
  }

  private static List<byte[]> joined(List<byte[]> some, List<byte[]> more) {
    return Stream.concat(some.stream(), more.stream()).toList();
  }

  @Override
  public void processElement(StreamRecord<RuledBlock> element) {
    RuledBlock block = element.getValue();
    packetsIn.inc(block.packets().count());
    if (block.rules() != rules) {
      goBy(block.rules());
    }
    if (block.isOfOneRule()) {
      give(block.ruleOf(0), block.packets());
    } else {
      giveEachItsOwn(block);
    }
    block.packets().requireIntact();
  }

  private void giveEachItsOwn(RuledBlock block) {
    int count = block.packets().count();
    Arrays.fill(counts, 0);
    for (int i = 0; i < count; i++) {
      counts[block.ruleOf(i)]++;
    }
    if (count > indexes.length) {
      indexes = new int[count];
    }
    for (int rule = 0; rule < counts.length; rule++) {
      if (counts[rule] > 0) {
        give(rule, part(block, rule));
      }
    }
  }

  private PacketBlock part(RuledBlock block, int rule) {
    int count = block.packets().count();
    int selected = 0;
    for (int i = 0; i < count; i++) {
      if (block.ruleOf(i) == rule) {
        indexes[selected++] = i;
      }
    }
    return selected == count ? block.packets() : block.packets().select(indexes, selected);
  }

  private void give(int rule, PacketBlock packets) {
    if (packets.isEmpty()) {
      return;
    }
    if (ofRule[rule] == null) {
      run(rule);
    }
    ofRule[rule].process(packets);
  }

  /** Functions of rules that are no more have had their last packet. */
  private void goBy(RulesInForce next) {
    rules = next;
    ofRule = new RunningFunction[next.size()];
    counts = new int[next.size()];
    Set<Long> ids = new HashSet<>();
    for (int rule = 0; rule < next.size(); rule++) {
      ids.add(next.id(rule));
    }
    running
        .entrySet()
        .removeIf(
            each -> {
              if (ids.contains(each.getKey())) {
                return false;
              }
              each.getValue().close();
              return true;
            });
    restored.keySet().retainAll(ids);
    goOnWithRestored();
  }

  /** Their packets may all come to other subtasks, or not at all, and time goes on. */
  private void goOnWithRestored() {
    for (int rule = 0; rule < ofRule.length; rule++) {
      if (restored.containsKey(rules.id(rule))) {
        run(rule);
      }
    }
  }

  private void run(int rule) {
    ofRule[rule] = running.computeIfAbsent(rules.id(rule), id -> begin(rule, id));
  }

  private RunningFunction begin(int rule, long id) {
    RuleTag tag = rules.tag(rule);
    List<byte[]> parts = restored.remove(id);
    return new RunningFunction(
        (UserFunction) rules.function(rule),
        tag,
        parts == null ? List.of() : parts,
        metricsByLabel.computeIfAbsent(labels.of(tag.name()), this::metricsOf),
        surroundings);
  }

  /** Apart from Flowstone's own, whatever functions call theirs. */
  private MetricGroup metricsOf(String label) {
    return new LatestMetrics(stageMetrics.addGroup("rule", label).addGroup(GROUP));
  }

  private void send(Result result) {
    output.collect(record.replace(result, EventTime.ms(result.timeNs())));
  }

  @Override
  public void processWatermark(Watermark mark) throws Exception {
    earliestNs = EventTime.earliestNs(mark.getTimestamp());
    running.values().forEach(each -> each.advance(earliestNs));
    super.processWatermark(mark);
  }

  @Override
  public void snapshotState(StateSnapshotContext context) throws Exception {
    super.snapshotState(context);
    saved.clear();
    for (var part : restored.entrySet()) {
      for (byte[] each : part.getValue()) {
        saved.add(Tuple2.of(part.getKey(), each));
      }
    }
    for (var each : running.entrySet()) {
      for (byte[] part : each.getValue().snapshot()) {
        saved.add(Tuple2.of(each.getKey(), part));
      }
    }
  }

  @Override
  public void close() throws Exception {
    if (running != null) {
      for (RunningFunction each : running.values()) {
        LoggedClose.close(LOG, "The function of rule " + each.rule().name(), each::close);
      }
    }
    if (jars != null) {
      LoggedClose.close(LOG, "The class loader of functions", jars);
    }
    super.close();
  }

  long packetsFailed() {
    return packetsFailed.getCount();
  }

  long functionFailures() {
    return functionFailures.getCount();
  }
}
