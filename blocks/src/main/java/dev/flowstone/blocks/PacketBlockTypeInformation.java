// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.blocks;

import java.lang.reflect.Type;
import java.util.Map;
import org.apache.flink.api.common.serialization.SerializerConfig;
import org.apache.flink.api.common.typeinfo.TypeInfoFactory;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeutils.TypeSerializer;

/** Flink's view of a block: an opaque value with its own serializer; no key. */
public final class PacketBlockTypeInformation extends TypeInformation<PacketBlock> {
  private static final long serialVersionUID = 1L;

  public static final PacketBlockTypeInformation INSTANCE = new PacketBlockTypeInformation();

  private PacketBlockTypeInformation() {}

  /** Lets Flink find this type information wherever it meets a block. */
  public static final class Factory extends TypeInfoFactory<PacketBlock> {
    @Override
    public TypeInformation<PacketBlock> createTypeInfo(
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
  public Class<PacketBlock> getTypeClass() {
    return PacketBlock.class;
  }

  @Override
  public boolean isKeyType() {
    return false;
  }

  @Override
  public TypeSerializer<PacketBlock> createSerializer(SerializerConfig config) {
    return new PacketBlockSerializer();
  }

  @Override
  public String toString() {
    return "PacketBlock";
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof PacketBlockTypeInformation;
  }

  @Override
  public int hashCode() {
    return PacketBlockTypeInformation.class.hashCode();
  }

  @Override
  public boolean canEqual(Object other) {
    return other instanceof PacketBlockTypeInformation;
  }
}
