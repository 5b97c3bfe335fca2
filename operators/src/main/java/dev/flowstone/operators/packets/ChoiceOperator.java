// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.packets;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.blocks.RuleMark;
import dev.flowstone.blocks.WeightedBlock;
import dev.flowstone.model.PacketLoss;
import dev.flowstone.model.PacketRecord;
import dev.flowstone.operators.ruled.RuledBlock;
import dev.flowstone.operators.ruled.RulesInForce;
import dev.flowstone.stages.StageMetrics;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple3;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * Sends on those packets of each rule that the rule chooses: of each block at most one block for
 * each rule and weight. What a block tells of losses goes on with the first of these, or else with
 * a block without packets.
 */
final class ChoiceOperator extends AbstractStreamOperator<WeightedBlock>
    implements OneInputStreamOperator<RuledBlock, WeightedBlock> {
  private static final long serialVersionUID = 1L;

  private static final int FIN_SYN_RST = 0b111;

  private final AnonymisationKeys keys;

  private transient ListState<Tuple3<Long, Long, Long>> savedCounts;
  private transient StreamCounts counts;
  private transient RuleCounters.Registry counters;
  private transient Anonymisers anonymisers;
  private transient RulesInForce rules;
  private transient List<Optional<RuleChoice>> choices;
  private transient StreamRecord<WeightedBlock> record;

  /** Indexes in the block at hand: all of them, and those of each rule in a row. */
  private transient int[] all;

  private transient int[] byRule;

  /** Those of one rule, and what becomes of them. */
  private transient int[] candidates;

  private transient int[] kept;
  private transient int[] chosen;

  /** Where each rule's indexes end; before they are put there, where they begin. */
  private transient int[] ends;

  private transient PacketLoss untold;

  ChoiceOperator(AnonymisationKeys keys) {
    this.keys = keys;
  }

  @Override
  public void initializeState(StateInitializationContext context) throws Exception {
    super.initializeState(context);
    counts = new StreamCounts();
    savedCounts =
        context
            .getOperatorStateStore()
            .getUnionListState(
                new ListStateDescriptor<>(
                    "packets-counted", Types.TUPLE(Types.LONG, Types.LONG, Types.LONG)));
    for (Tuple3<Long, Long, Long> saved : savedCounts.get()) {
      counts.restore(saved.f0, saved.f1, saved.f2);
    }
  }

  @Override
  public void snapshotState(StateSnapshotContext context) throws Exception {
    super.snapshotState(context);
    List<Tuple3<Long, Long, Long>> saved = new ArrayList<>(counts.size());
    counts.write(
        getRuntimeContext().getTaskInfo().getIndexOfThisSubtask(),
        getRuntimeContext().getTaskInfo().getNumberOfParallelSubtasks(),
        (rule, stream, packets) -> saved.add(Tuple3.of(rule, stream, packets)));
    savedCounts.update(saved);
  }

  @Override
  public void open() throws Exception {
    super.open();
    counters = new RuleCounters.Registry(StageMetrics.of(getMetricGroup()));
    anonymisers = new Anonymisers(keys);
    record = new StreamRecord<>(null);
    makeRoom(0);
  }

  private void makeRoom(int packets) {
    all = new int[packets];
    Arrays.setAll(all, index -> index);
    byRule = new int[packets];
    candidates = new int[packets];
    kept = new int[packets];
    chosen = new int[packets];
  }

  /** Of a rule that was met. */
  RuleCounters countersOf(String rule) {
    return counters.of(rule);
  }

  @Override
  public void processElement(StreamRecord<RuledBlock> element) {
    if (element.hasTimestamp()) {
      record.setTimestamp(element.getTimestamp());
    } else {
      record.eraseTimestamp();
    }
    RuledBlock block = element.getValue();
    PacketBlock packets = block.packets();
    use(block.rules());
    if (packets.count() > all.length) {
      makeRoom(packets.count());
    }
    untold = packets.lossBefore();
    if (!block.isOfOneRule()) {
      chooseByRule(block);
    } else if (!packets.isEmpty()) {
      choose(block.ruleOf(0), packets, all, packets.count());
    }
    if (!untold.isNone()) {
      RuleMark mark = choices.get(block.ruleOf(0)).map(RuleChoice::mark).orElse(RuleMark.NONE);
      send(PacketBlock.empty(packets.origin(), untold), WeightedBlock.UNSAMPLED, mark);
    }
  }

  @SuppressWarnings("ReferenceEquality") // Each version is one object.
  private void use(RulesInForce inForce) {
    if (rules == inForce) {
      return;
    }
    List<Optional<RuleChoice>> itsChoices = new ArrayList<>(inForce.size());
    for (int rule = 0; rule < inForce.size(); rule++) {
      itsChoices.add(RuleChoice.of(inForce, rule, counts, anonymisers, counters));
    }
    rules = inForce;
    choices = itsChoices;
    ends = new int[inForce.size() + 1];
  }

  private void chooseByRule(RuledBlock block) {
    sortByRule(block);
    int begin = 0;
    for (int rule = 0; rule < rules.size(); rule++) {
      int count = ends[rule] - begin;
      if (count > 0) {
        System.arraycopy(byRule, begin, candidates, 0, count);
        choose(rule, block.packets(), candidates, count);
      }
      begin = ends[rule];
    }
  }

  /** In the order of the rules, and of each rule in the order of the packets. */
  private void sortByRule(RuledBlock block) {
    int count = block.packets().count();
    Arrays.fill(ends, 0);
    for (int i = 0; i < count; i++) {
      ends[block.ruleOf(i) + 1]++;
    }
    for (int rule = 0; rule < rules.size(); rule++) {
      ends[rule + 1] += ends[rule];
    }
    for (int i = 0; i < count; i++) {
      byRule[ends[block.ruleOf(i)]++] = i;
    }
  }

  private void choose(int rule, PacketBlock packets, int[] ofRule, int count) {
    RuleChoice choice =
        choices
            .get(rule)
            .orElseThrow(
                () -> new IllegalStateException(rules.tag(rule).name() + " chooses no packets"));
    RuleCounters counted = choice.counters();
    counted.in.inc(count);
    int others = count;
    int[] ofOthers = ofRule;
    if (choice.keepsConnections()) {
      others = partConnections(packets, ofRule, count);
      ofOthers = candidates;
      sendChosen(packets, kept, count - others, WeightedBlock.UNSAMPLED, choice);
    }
    int sampled = choice.choice().choose(packets, ofOthers, others, chosen);
    counted.leftOut.inc(others - sampled);
    sendChosen(packets, chosen, sampled, choice.weight(), choice);
  }

  /**
   * Puts the indexes of packets that open or end a TCP connection into one array, those of others
   * into the candidates; returns how many others there are. Flags are 0 where there are none.
   */
  private int partConnections(PacketBlock packets, int[] indexes, int count) {
    MemorySegment segment = packets.segment();
    int connections = 0;
    int others = 0;
    for (int i = 0; i < count; i++) {
      int index = indexes[i];
      int flags = PacketRecord.tcpFlags(segment, packets.offsetOf(index));
      kept[connections] = index;
      candidates[others] = index;
      int isConnection = (flags & FIN_SYN_RST) != 0 ? 1 : 0;
      connections += isConnection;
      others += 1 - isConnection;
    }
    return others;
  }

  private void sendChosen(
      PacketBlock packets, int[] indexes, int count, int weight, RuleChoice choice) {
    if (count == 0) {
      return;
    }
    PacketBlock ofRule = count == packets.count() ? packets : packets.select(indexes, count);
    PacketBlock sent = choice.anonymiser().map(each -> each.anonymous(ofRule)).orElse(ofRule);
    send(sent.withLossBefore(untold), weight, choice.mark());
    untold = PacketLoss.NONE;
    RuleCounters counted = choice.counters();
    (weight == WeightedBlock.UNSAMPLED ? counted.kept : counted.sampled).inc(sent.count());
  }

  private void send(PacketBlock packets, int weight, RuleMark rule) {
    output.collect(record.replace(new WeightedBlock(packets, weight, rule)));
  }
}
