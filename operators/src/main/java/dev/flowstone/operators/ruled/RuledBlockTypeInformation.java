// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.ruled;

import java.lang.reflect.Type;
import java.util.Map;
import org.apache.flink.api.common.serialization.SerializerConfig;
import org.apache.flink.api.common.typeinfo.TypeInfoFactory;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeutils.TypeSerializer;

/** Flink's view of a ruled block: an opaque value that stays within its chain of operators. */
public final class RuledBlockTypeInformation extends TypeInformation<RuledBlock> {
  private static final long serialVersionUID = 1L;

  public static final RuledBlockTypeInformation INSTANCE = new RuledBlockTypeInformation();

  private RuledBlockTypeInformation() {}

  /** Lets Flink find this type information wherever it meets a block. */
  public static final class Factory extends TypeInfoFactory<RuledBlock> {
    @Override
    public TypeInformation<RuledBlock> createTypeInfo(
        Type type, Map<String, TypeInformation<?>> genericParameters) {
      return INSTANCE;
    }
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
  public Class<RuledBlock> getTypeClass() {
    return RuledBlock.class;
  }

  @Override
  public boolean isKeyType() {
    return false;
  }

  @Override
  public TypeSerializer<RuledBlock> createSerializer(SerializerConfig config) {
    return new RuledBlockSerializer();
  }

  @Override
  public String toString() {
    return "RuledBlock";
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof RuledBlockTypeInformation;
  }

  @Override
  public int hashCode() {
    return RuledBlockTypeInformation.class.hashCode();
  }

  @Override
  public boolean canEqual(Object other) {
    return other instanceof RuledBlockTypeInformation;
  }
}
