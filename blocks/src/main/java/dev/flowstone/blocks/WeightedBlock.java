// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.blocks;

import java.lang.reflect.Type;
import java.util.Map;
import org.apache.flink.api.common.typeinfo.TypeInfo;
import org.apache.flink.api.common.typeinfo.TypeInfoFactory;
import org.apache.flink.api.common.typeinfo.TypeInformation;

/**
 * Packets on their way out of a job, all chosen in the same way. Immutable, a reference as {@link
 * PacketBlock} is; stays in its chain of operators.
 *
 * @param weight how many packets each stands for
 * @param rule that chose them
 */
@TypeInfo(WeightedBlock.TypeFactory.class)
public record WeightedBlock(PacketBlock packets, int weight, RuleMark rule) {
  public static final TypeInformation<WeightedBlock> TYPE =
      new InChainTypeInformation<>(WeightedBlock.class);

  /** The weight of a packet that stands for itself. */
  public static final int UNSAMPLED = 1;

  public WeightedBlock {
    if (weight < UNSAMPLED) {
      throw new IllegalArgumentException("a packet stands for 1 or more: weight=" + weight);
    }
  }

  /** Of packets that no rule chose. */
  public static WeightedBlock plain(PacketBlock packets) {
    return new WeightedBlock(packets, UNSAMPLED, RuleMark.NONE);
  }

  /** Lets Flink find the type information wherever it meets a block. */
  public static final class TypeFactory extends TypeInfoFactory<WeightedBlock> {
    @Override
    public TypeInformation<WeightedBlock> createTypeInfo(
        Type type, Map<String, TypeInformation<?>> genericParameters) {
      return TYPE;
    }
  }
}
