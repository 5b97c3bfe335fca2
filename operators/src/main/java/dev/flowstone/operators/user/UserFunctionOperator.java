// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.user;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.connector.fpga.operators.EventTime;
import dev.flowstone.operators.ruled.RuledBlock;
import dev.flowstone.operators.ruled.RulesInForce;
import dev.flowstone.results.Result;
import dev.flowstone.results.RuleTag;
import dev.flowstone.rules.function.UserFunction;
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
 * it. One that cannot be made, opened or restored takes its packets in the same way, and the state
 * that it had stays in the checkpoints.
 */
final class UserFunctionOperator extends AbstractStreamOperator<Result>
    implements OneInputStreamOperator<RuledBlock, Result> {
  private static final long serialVersionUID = 1L;
  private static final Logger LOG = LoggerFactory.getLogger(UserFunctionOperator.class);

  private final File folder;

  private transient FunctionJars jars;
  private transient ListState<Tuple2<Long, byte[]>> saved;
  private transient Map<Long, List<byte[]>> restored;
  private transient Map<Long, Running> running;
  private transient RulesInForce rules;
  private transient Running[] ofRule;
  private transient int[] indexes;
  private transient int[] counts;
  private transient long earliestNs;
  private transient StreamRecord<Result> record;
  private transient MetricGroup stageMetrics;
  private transient Counter packetsIn;
  private transient Counter packetsFailed;
  private transient Counter functionFailures;
  private transient Counter resultsOut;

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
    resultsOut = stageMetrics.counter("resultsOut");
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
    if (!ofRule[rule].call("process", function -> function.process(packets))) {
      packetsFailed.inc(packets.count());
    }
  }

  /** Functions of rules that are no more have had their last packet. */
  private void goBy(RulesInForce next) {
    rules = next;
    ofRule = new Running[next.size()];
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
              each.getValue().end();
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
    ofRule[rule] = running.computeIfAbsent(rules.id(rule), _ -> new Running(rules, rule));
  }

  @Override
  public void processWatermark(Watermark mark) throws Exception {
    earliestNs = EventTime.earliestNs(mark.getTimestamp());
    running
        .values()
        .forEach(each -> each.call("advance", function -> function.advance(earliestNs)));
    super.processWatermark(mark);
  }

  /** A checkpoint without a function's state would be a wrong one: what is thrown here fails it. */
  @Override
  public void snapshotState(StateSnapshotContext context) throws Exception {
    super.snapshotState(context);
    saved.clear();
    for (var part : restored.entrySet()) {
      for (byte[] each : part.getValue()) {
        saved.add(Tuple2.of(part.getKey(), each));
      }
    }
    for (Running each : running.values()) {
      for (byte[] part : each.parts()) {
        saved.add(Tuple2.of(each.id, part));
      }
    }
  }

  @Override
  public void close() throws Exception {
    if (running != null) {
      running.values().forEach(Running::end);
    }
    if (jars != null) {
      jars.close();
    }
    super.close();
  }

  long packetsFailed() {
    return packetsFailed.getCount();
  }

  long functionFailures() {
    return functionFailures.getCount();
  }

  @FunctionalInterface
  private interface Call {
    void on(PacketFunction function) throws Exception;
  }

  /** The function of one rule. */
  private final class Running implements PacketFunctionContext {
    private final UserFunction asked;
    private final RuleTag tag;
    private final long id;
    private final MetricGroup itsMetrics;

    /** Null if it cannot be made. */
    private final PacketFunction function;

    /** What it was restored with, for as long as it has not taken that over. */
    private List<byte[]> unread;

    private boolean hasBegun;
    private final Set<String> kinds = new HashSet<>();
    private String lastFailure = "";

    Running(RulesInForce rules, int rule) {
      asked = (UserFunction) rules.function(rule);
      tag = rules.tag(rule);
      id = rules.id(rule);
      itsMetrics = stageMetrics.addGroup("rule", tag.name());
      List<byte[]> parts = restored.remove(id);
      unread = parts == null ? List.of() : parts;
      function = make();
      hasBegun = function != null && begin();
    }

    /** One that cannot gets no packets: it would go on without what it knew. */
    private boolean begin() {
      boolean isReady =
          attempt("open", made -> made.open(this))
              && (unread.isEmpty() || attempt("restore", made -> made.restore(unread)));
      if (isReady) {
        unread = List.of();
      }
      return isReady;
    }

    /** What a checkpoint keeps of it. */
    List<byte[]> parts() throws Exception {
      if (!hasBegun) {
        return unread;
      }
      byte[] bytes = function.snapshot();
      return bytes.length == 0 ? List.of() : List.of(bytes);
    }

    private PacketFunction make() {
      try {
        return jars.make(asked);
      } catch (IllegalArgumentException e) {
        fail("made", e);
        return null;
      }
    }

    boolean call(String what, Call call) {
      return hasBegun && attempt(what, call);
    }

    /** Whether it came back; told once in the log for each way to fail. */
    private boolean attempt(String what, Call call) {
      try {
        call.on(function);
        return true;
      } catch (Exception | LinkageError | StackOverflowError | AssertionError e) {
        fail(what, e);
        return false;
      }
    }

    private void fail(String what, Throwable failure) {
      functionFailures.inc();
      if (!failure.toString().equals(lastFailure)) {
        lastFailure = failure.toString();
        LOG.warn(
            "rule {}: {} failed in {}; its packets are counted as packetsFailed",
            tag.name(),
            asked.className(),
            what,
            failure);
      }
    }

    void end() {
      if (function != null) {
        attempt("close", PacketFunction::close);
      }
    }

    @Override
    public Map<String, String> options() {
      return asked.options();
    }

    @Override
    public RuleTag rule() {
      return tag;
    }

    @Override
    public MetricGroup metrics() {
      return itsMetrics;
    }

    @Override
    public int subtask() {
      return getRuntimeContext().getTaskInfo().getIndexOfThisSubtask();
    }

    @Override
    public void emit(Result result) {
      if (!kinds.contains(result.kind())) {
        AllowedKind.require(result.kind());
        kinds.add(result.kind());
      }
      resultsOut.inc();
      output.collect(record.replace(result, EventTime.ms(result.timeNs())));
    }
  }
}
