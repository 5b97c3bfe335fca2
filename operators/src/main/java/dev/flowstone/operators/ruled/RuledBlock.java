// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.ruled;

import dev.flowstone.blocks.InChainTypeInformation;
import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.rules.function.Pass;
import java.lang.reflect.Type;
import java.util.Map;
import org.apache.flink.api.common.typeinfo.TypeInfo;
import org.apache.flink.api.common.typeinfo.TypeInfoFactory;
import org.apache.flink.api.common.typeinfo.TypeInformation;

/**
 * Packets, and the rule of each. Immutable, a reference as {@link PacketBlock} is; what holds for
 * keeping one holds here.
 */
@TypeInfo(RuledBlock.TypeFactory.class)
public final class RuledBlock {
  public static final TypeInformation<RuledBlock> TYPE =
      new InChainTypeInformation<>(RuledBlock.class);

  public static final RulesInForce NONE = RulesInForce.everyPacket(Pass.unchanged());

  private final PacketBlock packets;
  private final RulesInForce rules;
  private final int onlyRule;

  /** Of each packet; null: all have the only one. */
  private final short[] ruleOfPacket;

  private RuledBlock(PacketBlock packets, RulesInForce rules, int onlyRule, short[] ruleOfPacket) {
    this.packets = packets;
    this.rules = rules;
    this.onlyRule = onlyRule;
    this.ruleOfPacket = ruleOfPacket;
  }

  /** Of packets that nobody asked a rule of. */
  public static RuledBlock withoutRules(PacketBlock packets) {
    return new RuledBlock(packets, NONE, 0, null);
  }

  /** All packets have the same rule. */
  public static RuledBlock of(PacketBlock packets, RulesInForce rules, int rule) {
    return new RuledBlock(packets, rules, rule, null);
  }

  /**
   * Each packet has its own.
   *
   * @param ruleOfPacket indexes of rules, at least as many as packets; taken over
   */
  public static RuledBlock of(PacketBlock packets, RulesInForce rules, short[] ruleOfPacket) {
    return new RuledBlock(packets, rules, 0, ruleOfPacket);
  }

  public PacketBlock packets() {
    return packets;
  }

  public RulesInForce rules() {
    return rules;
  }

  public boolean isOfOneRule() {
    return ruleOfPacket == null;
  }

  /** Index in {@link #rules} of a packet's rule. */
  public int ruleOf(int packet) {
    return ruleOfPacket == null ? onlyRule : ruleOfPacket[packet];
  }

  /** Lets Flink find the type information wherever it meets a block. */
  public static final class TypeFactory extends TypeInfoFactory<RuledBlock> {
    @Override
    public TypeInformation<RuledBlock> createTypeInfo(
        Type type, Map<String, TypeInformation<?>> genericParameters) {
      return TYPE;
    }
  }
}
