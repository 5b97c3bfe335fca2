// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.ruled;

import dev.flowstone.connector.fpga.exchange.OwnKeyGroups;
import java.util.HashMap;
import java.util.Map;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RichMapFunction;

/**
 * The receiving side of {@link RuledSplitter}. Senders change their rules at different moments;
 * those that go by the same ones share them here, because functions ask whether they are new.
 */
final class OwnRuledFlows extends RichMapFunction<RuledPart, RuledBlock> {
  private static final long serialVersionUID = 1L;

  private transient OwnKeyGroups own;
  private transient Map<Integer, RulesInForce> rulesOfSender;

  @Override
  public void open(OpenContext context) {
    own = new OwnKeyGroups(getRuntimeContext().getTaskInfo());
    rulesOfSender = new HashMap<>();
  }

  @Override
  public RuledBlock map(RuledPart part) {
    if (part.newRules() != null) {
      rulesOfSender.put(part.sender(), rulesOf(part.newRules()));
    }
    own.require(part.packets());
    RulesInForce rules = rulesOfSender.get(part.sender());
    return part.ruleOfPacket().length == part.packets().count()
        ? RuledBlock.of(part.packets(), rules, part.ruleOfPacket())
        : RuledBlock.of(part.packets(), rules, part.ruleOfPacket()[0]);
  }

  private RulesInForce rulesOf(RulesText text) {
    return rulesOfSender.values().stream()
        .filter(known -> known.text().equals(text))
        .findFirst()
        .orElseGet(text::read);
  }
}
