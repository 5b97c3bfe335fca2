// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.ruled;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.blocks.PacketBlockTypeInformation;
import java.util.Map;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;

/**
 * Packets of a block on their way to the subtask that has their flows. Public for Flink, which
 * makes it from bytes.
 *
 * @param subtask that they go to
 * @param sender subtask that they come from
 * @param ruleOfPacket index of each packet's rule; only one where all have the same
 * @param newRules by which the sender goes from this part on; null: those of its part before
 */
@SuppressWarnings("ArrayRecordComponent") // Nobody compares parts.
public record RuledPart(
    int subtask, int sender, PacketBlock packets, short[] ruleOfPacket, RulesText newRules) {
  static final TypeInformation<RuledPart> TYPE =
      Types.POJO(
          RuledPart.class,
          Map.of(
              "subtask",
              Types.INT,
              "sender",
              Types.INT,
              "packets",
              PacketBlockTypeInformation.INSTANCE,
              "ruleOfPacket",
              PrimitiveArrayTypeInfo.SHORT_PRIMITIVE_ARRAY_TYPE_INFO,
              "newRules",
              TypeInformation.of(RulesText.class)));
}
