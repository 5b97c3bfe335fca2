// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.split;

import org.apache.flink.api.common.typeutils.SerializerTestBase;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.core.io.SimpleVersionedSerializerTypeSerializerProxy;
import org.apache.flink.util.function.SerializableSupplier;

/** Flink's suite for serializers on one of source state, by Flink's own proxy. */
public abstract class StateSerializerSuite<T> extends SerializerTestBase<T> {
  private static final int VARIABLE_LENGTH = -1;

  private final Class<T> type;
  private final SerializableSupplier<SimpleVersionedSerializer<T>> serializer;

  protected StateSerializerSuite(
      Class<T> type, SerializableSupplier<SimpleVersionedSerializer<T>> serializer) {
    this.type = type;
    this.serializer = serializer;
  }

  @Override
  protected TypeSerializer<T> createSerializer() {
    return new SimpleVersionedSerializerTypeSerializerProxy<>(serializer);
  }

  @Override
  protected Class<T> getTypeClass() {
    return type;
  }

  @Override
  protected int getLength() {
    return VARIABLE_LENGTH;
  }

  /** Not a test here: the proxy makes no empty instances. */
  @Override
  protected void testInstantiate() {}

  /** Not a test here: the proxy has no snapshot. */
  @Override
  protected void testSnapshotConfigurationAndReconfigure() {}

  /** Not a test here: the proxy has no snapshot. */
  @Override
  protected void testConfigSnapshotInstantiation() {}
}
