// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.chain;

import org.apache.flink.api.common.serialization.SerializerConfig;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeutils.TypeSerializer;

/** Flink's view of immutable elements that stay within their chain of operators. */
public final class ByReferenceTypeInformation<T> extends TypeInformation<T> {
  private static final long serialVersionUID = 1L;

  private final Class<T> type;

  private ByReferenceTypeInformation(Class<T> type) {
    this.type = type;
  }

  public static <T> ByReferenceTypeInformation<T> of(Class<T> type) {
    return new ByReferenceTypeInformation<>(type);
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
    return new ByReferenceSerializer<>(type);
  }

  @Override
  public String toString() {
    return type.getSimpleName() + " by reference";
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ByReferenceTypeInformation<?> that && type.equals(that.type);
  }

  @Override
  public int hashCode() {
    return type.hashCode();
  }

  @Override
  public boolean canEqual(Object other) {
    return other instanceof ByReferenceTypeInformation;
  }
}
