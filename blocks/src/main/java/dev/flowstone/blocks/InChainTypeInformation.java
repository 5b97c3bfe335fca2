// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.blocks;

import org.apache.flink.api.common.serialization.SerializerConfig;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeutils.TypeSerializer;

/**
 * Flink's view of a block with something about its packets: an opaque value that stays within its
 * chain of operators. What comes along would cost more there than the packets: where packets must
 * go elsewhere, plain blocks do.
 */
public final class InChainTypeInformation<T> extends TypeInformation<T> {
  private static final long serialVersionUID = 1L;

  private final Class<T> type;

  public InChainTypeInformation(Class<T> type) {
    this.type = type;
  }

  @Override
  public boolean isBasicType() {
    return false;
  }

  @Override
  public boolean isTupleType() {
    return false;
  }

  @Override
  public int getArity() {
    return 1;
  }

  @Override
  public int getTotalFields() {
    return 1;
  }

  @Override
  public Class<T> getTypeClass() {
    return type;
  }

  @Override
  public boolean isKeyType() {
    return false;
  }

  @Override
  public TypeSerializer<T> createSerializer(SerializerConfig config) {
    return new InChainSerializer<>();
  }

  @Override
  public String toString() {
    return type.getSimpleName();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof InChainTypeInformation<?> that && type == that.type;
  }

  @Override
  public int hashCode() {
    return type.hashCode();
  }

  @Override
  public boolean canEqual(Object other) {
    return other instanceof InChainTypeInformation;
  }
}
