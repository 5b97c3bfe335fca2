// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.ruled;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.blocks.PacketBlockOrigin;
import dev.flowstone.model.PacketLoss;
import dev.flowstone.rules.classify.Classifier;
import dev.flowstone.stages.RuleLabels;
import dev.flowstone.stages.StageMetrics;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.flink.api.common.operators.MailboxExecutor;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.runtime.operators.coordination.OperatorEvent;
import org.apache.flink.runtime.operators.coordination.OperatorEventHandler;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperatorParameters;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.util.OutputTag;

/**
 * Finds the rule of each packet and sends packets on to the function that it names, a block of them
 * for each kind of function. Losses go where packets pass, if need be as a block without packets: a
 * consumer of packets hears of them, and of all others the source counts them.
 */
final class RulesOperator extends AbstractStreamOperator<RuledBlock>
    implements OneInputStreamOperator<PacketBlock, RuledBlock>, OperatorEventHandler {
  private static final long serialVersionUID = 1L;

  private final LiveRules live;
  private final transient MailboxExecutor mailbox;

  private transient ListState<RulesText> saved;
  private transient RulesCompiler compiler;

  /** The latest rules of the coordinator. They are active, or are being compiled. */
  private transient RulesText text;

  private transient RulesInForce rules;
  private transient Classifier classifier;
  private transient MetricGroup stageMetrics;
  private transient RuleLabels labels;
  private transient Map<String, Counter> packetsByLabel;
  private transient Counter[] packetsOfRule;
  private transient Counter packetsIn;
  private transient Counter packetsDropped;
  private transient Map<FunctionKind, Counter> packetsToFunction;

  private transient short[] ruleOfPacket;
  private transient int[] countOfRule;

  /** Each once that a packet of the block has, in any order. */
  private transient short[] rulesMet;

  private transient Map<FunctionKind, Share> shares;
  private transient Share[] shareOfRule;

  /** By rule the number of its share, and by that where in {@link #indexes} its next packet is. */
  private transient byte[] shareNumberOfRule;

  private transient int[] nextOfShare;

  /** All packets of a block, share after share, and the rule of each. */
  private transient int[] indexes;

  private transient short[] ruleOfIndex;
  private transient StreamRecord<RuledBlock> record;
  private transient boolean announced;

  /**
   * An operator of one subtask.
   *
   * @param live the submitted ones count until a checkpoint or the coordinator says others
   */
  RulesOperator(StreamOperatorParameters<RuledBlock> parameters, LiveRules live) {
    super(parameters);
    this.live = live;
    mailbox = parameters.getMailboxExecutor();
    text = live.submitted();
  }

  @Override
  public void initializeState(StateInitializationContext context) throws Exception {
    super.initializeState(context);
    saved =
        context
            .getOperatorStateStore()
            .getUnionListState(
                new ListStateDescriptor<>("rules", TypeInformation.of(RulesText.class)));
    for (RulesText inForce : saved.get()) {
      text = live.canDo(inForce) ? inForce : live.submitted();
    }
    ruleOfPacket = new short[0];
    indexes = new int[0];
    ruleOfIndex = new short[0];
    record = new StreamRecord<>(null);
    stageMetrics = StageMetrics.of(getMetricGroup());
    packetsIn = stageMetrics.counter("packets");
    packetsDropped = stageMetrics.counter("packetsDropped");
    labels = new RuleLabels();
    packetsByLabel = new HashMap<>();
    packetsToFunction = new EnumMap<>(FunctionKind.class);
    for (FunctionKind kind : FunctionKind.values()) {
      packetsToFunction.put(kind, counter(kind));
    }
    compiler = new RulesCompiler();
    putInForce(CompiledRules.of(text));
    stageMetrics.gauge("rulesVersion", (Gauge<Long>) () -> rules.version());
  }

  /** In every subtask, rules that came before a barrier are active when it passes. */
  @Override
  public void prepareSnapshotPreBarrier(long checkpoint) throws Exception {
    super.prepareSnapshotPreBarrier(checkpoint);
    compiler.await().ifPresent(this::changeTo);
  }

  @Override
  public void finish() throws Exception {
    compiler.await().ifPresent(this::changeTo);
    super.finish();
  }

  @Override
  public void close() throws Exception {
    if (compiler != null) {
      compiler.close();
    }
    super.close();
  }

  /** All subtasks have the same rules at a barrier: one writes them. */
  @Override
  public void snapshotState(StateSnapshotContext context) throws Exception {
    super.snapshotState(context);
    saved.update(
        getRuntimeContext().getTaskInfo().getIndexOfThisSubtask() == 0 ? List.of(text) : List.of());
  }

  @Override
  public void handleOperatorEvent(OperatorEvent event) {
    if (!(event instanceof RulesEvent(RulesText told))) {
      throw new IllegalArgumentException("unexpected event of the coordinator: " + event);
    }
    if (!told.equals(text)) {
      text = told;
      compiler.begin(
          told,
          () ->
              mailbox.execute(() -> compiler.takeIfDone().ifPresent(this::changeTo), "new rules"));
    }
  }

  /** Between two blocks, as everything that happens in the task's thread. */
  private void changeTo(CompiledRules next) {
    putInForce(next);
    announce();
  }

  /**
   * Functions keep state by rule: they know the rules before the first packet or watermark, and at
   * once when they change, by a block without packets.
   */
  private void announce() {
    PacketBlockOrigin nowhere = new PacketBlockOrigin(0, 0, 0, 0, true);
    PacketBlock nothing = PacketBlock.empty(nowhere, PacketLoss.NONE);
    shares.values().stream()
        .filter(share -> share.kind != FunctionKind.DROP)
        .forEach(share -> send(share, RuledBlock.of(nothing, rules, rules.size() - 1)));
    announced = true;
  }

  @Override
  public void processWatermark(Watermark mark) throws Exception {
    if (!announced) {
      announce();
    }
    super.processWatermark(mark);
  }

  private void putInForce(CompiledRules next) {
    rules = next.rules();
    classifier = next.classifier();
    countOfRule = new int[rules.size()];
    rulesMet = new short[rules.size() + 1];
    shares = new EnumMap<>(FunctionKind.class);
    for (FunctionKind kind : FunctionKind.values()) {
      shares.put(kind, new Share(kind, shares.size()));
    }
    shareOfRule = new Share[rules.size()];
    Arrays.setAll(shareOfRule, rule -> shares.get(rules.kind(rule)));
    shareNumberOfRule = new byte[rules.size()];
    for (int rule = 0; rule < shareNumberOfRule.length; rule++) {
      shareNumberOfRule[rule] = (byte) shareOfRule[rule].number;
    }
    nextOfShare = new int[shares.size()];
    packetsOfRule = new Counter[rules.size()];
    Arrays.setAll(
        packetsOfRule,
        rule -> packetsByLabel.computeIfAbsent(labels.of(rules.tag(rule).name()), this::counter));
  }

  private Counter counter(FunctionKind kind) {
    return getMetricGroup()
        .addGroup("function", kind.name().toLowerCase(Locale.ROOT))
        .counter("packetsToFunction");
  }

  /** Flink takes a metric back only with its operator: a rule that returns finds its counter. */
  private Counter counter(String label) {
    return stageMetrics.addGroup("rule", label).counter("packetsOfRule");
  }

  @Override
  public void processElement(StreamRecord<PacketBlock> element) {
    if (!announced) {
      announce();
    }
    if (element.hasTimestamp()) {
      record.setTimestamp(element.getTimestamp());
    } else {
      record.eraseTimestamp();
    }
    PacketBlock block = element.getValue();
    packetsIn.inc(block.count());
    if (rules.size() == 1) {
      sendAll(block);
    } else {
      classify(block.isContiguous() ? block : block.copy());
    }
  }

  private void sendAll(PacketBlock block) {
    packetsOfRule[0].inc(block.count());
    if (rules.kind(0) == FunctionKind.PASS) {
      send(shareOfRule[0], RuledBlock.of(block, rules, 0));
      return;
    }
    if (rules.kind(0) == FunctionKind.DROP) {
      packetsDropped.inc(block.count());
    } else {
      send(shareOfRule[0], RuledBlock.of(block.withLossBefore(PacketLoss.NONE), rules, 0));
    }
    sendLoss(block);
  }

  private void classify(PacketBlock block) {
    int count = block.count();
    if (count > ruleOfPacket.length) {
      ruleOfPacket = new short[count];
      indexes = new int[count];
      ruleOfIndex = new short[count];
    }
    classifier.classify(block.segment(), block.offsetBytes(), count, ruleOfPacket);
    count(count);
    if (shares.values().stream().noneMatch(share -> share.count == count)) {
      deal(count);
    }
    for (Share share : shares.values()) {
      if (share.count > 0 && share.kind != FunctionKind.DROP) {
        send(share, share.count == count ? whole(block) : part(block, share));
      }
    }
    packetsDropped.inc(shares.get(FunctionKind.DROP).count);
    if (shares.get(FunctionKind.PASS).count == 0) {
      sendLoss(block);
    }
  }

  /** Of a thousand rules a block has few: nothing is done for the others. */
  private void count(int count) {
    shares.values().forEach(share -> share.count = 0);
    final int[] countOfRule = this.countOfRule;
    final short[] rulesMet = this.rulesMet;
    int met = 0;
    for (int i = 0; i < count; i++) {
      final short rule = ruleOfPacket[i];
      rulesMet[met] = rule;
      met += countOfRule[rule]++ == 0 ? 1 : 0;
    }
    for (int i = 0; i < met; i++) {
      final int rule = rulesMet[i];
      packetsOfRule[rule].inc(countOfRule[rule]);
      shareOfRule[rule].count += countOfRule[rule];
      countOfRule[rule] = 0;
    }
  }

  private RuledBlock whole(PacketBlock block) {
    boolean passes = shares.get(FunctionKind.PASS).count > 0;
    PacketBlock packets = passes ? block : block.withLossBefore(PacketLoss.NONE);
    return RuledBlock.of(packets, rules, Arrays.copyOf(ruleOfPacket, block.count()));
  }

  /** One pass for all shares, without a branch: whose a packet is nobody can foretell. */
  private void deal(int count) {
    int dealt = 0;
    for (Share share : shares.values()) {
      share.first = dealt;
      nextOfShare[share.number] = dealt;
      dealt += share.count;
    }
    final byte[] shareNumberOfRule = this.shareNumberOfRule;
    final int[] nextOfShare = this.nextOfShare;
    for (int i = 0; i < count; i++) {
      final short rule = ruleOfPacket[i];
      final int place = nextOfShare[shareNumberOfRule[rule]]++;
      indexes[place] = i;
      ruleOfIndex[place] = rule;
    }
  }

  private RuledBlock part(PacketBlock block, Share share) {
    int end = share.first + share.count;
    PacketBlock packets = block.select(indexes, share.first, end);
    return RuledBlock.of(
        share.kind == FunctionKind.PASS ? packets.withLossBefore(block.lossBefore()) : packets,
        rules,
        Arrays.copyOfRange(ruleOfIndex, share.first, end));
  }

  /** No packet passes, and yet somebody must be told. */
  private void sendLoss(PacketBlock block) {
    if (!block.lossBefore().isNone()) {
      PacketBlock told = PacketBlock.empty(block.origin(), block.lossBefore());
      send(shares.get(FunctionKind.PASS), RuledBlock.of(told, rules, rules.size() - 1));
    }
  }

  /** By a rule's name, since the operator was opened. */
  long packetsOfRule(String name) {
    return packetsByLabel.get(name).getCount();
  }

  /** See {@link #packetsOfRule}. */
  long packetsDropped() {
    return packetsDropped.getCount();
  }

  /** See {@link #packetsOfRule}. */
  long packetsTo(FunctionKind kind) {
    return packetsToFunction.get(kind).getCount();
  }

  private void send(Share share, RuledBlock block) {
    packetsToFunction.get(share.kind).inc(block.packets().count());
    output.collect(share.tag, record.replace(block));
  }

  /** What functions of one kind get of a block. */
  private static final class Share {
    final FunctionKind kind;
    final int number;
    final OutputTag<RuledBlock> tag;
    int count;

    /** Where its packets begin among those that were dealt. */
    int first;

    Share(FunctionKind kind, int number) {
      this.kind = kind;
      this.number = number;
      tag = kind.tag();
    }
  }
}
