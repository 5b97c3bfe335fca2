// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.ruled;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.model.PacketLoss;
import dev.flowstone.rules.classify.Classifier;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import org.apache.flink.metrics.Counter;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.util.OutputTag;

/**
 * Finds the rule of each packet and sends packets on to the function that it names, a block of them
 * for each kind of function. Losses go where packets pass, if need be as a block without packets;
 * where there is one rule alone, with its packets.
 */
final class RulesOperator extends AbstractStreamOperator<RuledBlock>
    implements OneInputStreamOperator<PacketBlock, RuledBlock> {
  private static final long serialVersionUID = 1L;

  private final RulesText text;

  private transient RulesInForce rules;
  private transient Classifier classifier;
  private transient Counter[] packetsOfRule;
  private transient Counter packetsIn;
  private transient Counter packetsDropped;

  private transient short[] ruleOfPacket;
  private transient int[] countOfRule;
  private transient Map<FunctionKind, Share> shares;
  private transient Share[] shareOfRule;
  private transient int[] indexes;
  private transient StreamRecord<RuledBlock> record;

  RulesOperator(RulesText text) {
    this.text = text;
  }

  @Override
  public void open() throws Exception {
    super.open();
    rules = text.read();
    classifier = Classifier.of(rules.rules());
    countOfRule = new int[rules.size()];
    shares = new EnumMap<>(FunctionKind.class);
    for (FunctionKind kind : FunctionKind.values()) {
      shares.put(kind, new Share(kind));
    }
    shareOfRule = new Share[rules.size()];
    Arrays.setAll(shareOfRule, rule -> shares.get(rules.kind(rule)));
    ruleOfPacket = new short[0];
    indexes = new int[0];
    record = new StreamRecord<>(null);
    packetsIn = getMetricGroup().counter("packets");
    packetsDropped = getMetricGroup().counter("packetsDropped");
    packetsOfRule = new Counter[rules.size()];
    for (int rule = 0; rule < rules.size(); rule++) {
      packetsOfRule[rule] =
          getMetricGroup().addGroup("rule", rules.tag(rule).name()).counter("packetsOfRule");
    }
  }

  @Override
  public void processElement(StreamRecord<PacketBlock> element) {
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
      classify(block.isContiguous() ? block : block.owned());
    }
  }

  private void sendAll(PacketBlock block) {
    packetsOfRule[0].inc(block.count());
    if (rules.kind(0) != FunctionKind.DROP) {
      send(shareOfRule[0], RuledBlock.of(block, rules, 0));
      return;
    }
    packetsDropped.inc(block.count());
    sendLoss(block);
  }

  private void classify(PacketBlock block) {
    int count = block.count();
    if (count > ruleOfPacket.length) {
      ruleOfPacket = new short[count];
      indexes = new int[count];
    }
    classifier.classify(block.segment(), block.offsetBytes(), count, ruleOfPacket);
    count(count);
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

  private void count(int count) {
    Arrays.fill(countOfRule, 0);
    shares.values().forEach(share -> share.count = 0);
    for (int i = 0; i < count; i++) {
      countOfRule[ruleOfPacket[i]]++;
    }
    for (int rule = 0; rule < countOfRule.length; rule++) {
      packetsOfRule[rule].inc(countOfRule[rule]);
      shareOfRule[rule].count += countOfRule[rule];
    }
  }

  private RuledBlock whole(PacketBlock block) {
    boolean passes = shares.get(FunctionKind.PASS).count > 0;
    PacketBlock packets = passes ? block : block.withLossBefore(PacketLoss.NONE);
    return RuledBlock.of(packets, rules, Arrays.copyOf(ruleOfPacket, block.count()));
  }

  private RuledBlock part(PacketBlock block, Share share) {
    int selected = 0;
    short[] chosen = new short[share.count];
    for (int i = 0; i < block.count(); i++) {
      if (shareOfRule[ruleOfPacket[i]] == share) {
        chosen[selected] = ruleOfPacket[i];
        indexes[selected++] = i;
      }
    }
    PacketBlock packets = block.select(indexes, selected);
    return RuledBlock.of(
        share.kind == FunctionKind.PASS ? packets.withLossBefore(block.lossBefore()) : packets,
        rules,
        chosen);
  }

  /** No packet passes, and yet somebody must be told. */
  private void sendLoss(PacketBlock block) {
    if (!block.lossBefore().isNone()) {
      PacketBlock told = PacketBlock.empty(block.origin(), block.lossBefore());
      send(shares.get(FunctionKind.PASS), RuledBlock.of(told, rules, rules.size() - 1));
    }
  }

  private void send(Share share, RuledBlock block) {
    output.collect(share.tag, record.replace(block));
  }

  /** What functions of one kind get of a block. */
  private static final class Share {
    final FunctionKind kind;
    final OutputTag<RuledBlock> tag;
    int count;

    Share(FunctionKind kind) {
      this.kind = kind;
      tag = kind.tag();
    }
  }
}
