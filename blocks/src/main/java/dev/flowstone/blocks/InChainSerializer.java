// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.blocks;

import org.apache.flink.api.common.typeutils.SimpleTypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.base.TypeSerializerSingleton;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/** Hands values on by reference, and refuses to write them. */
final class InChainSerializer<T> extends TypeSerializerSingleton<T> {
  private static final long serialVersionUID = 1L;

  private static UnsupportedOperationException outOfTheChain() {
    return new UnsupportedOperationException(
        "blocks with rules or weights stay in the chain of operators that made them: leave"
            + " pipeline.operator-chaining.enabled as it is, and give what works on them the"
            + " parallelism of what makes them");
  }

  @Override
  public boolean isImmutableType() {
    return true;
  }

  @Override
  public T createInstance() {
    throw outOfTheChain();
  }

  @Override
  public T copy(T value) {
    return value;
  }

  @Override
  public T copy(T value, T reuse) {
    return value;
  }

  @Override
  public int getLength() {
    return -1;
  }

  @Override
  public void serialize(T value, DataOutputView target) {
    throw outOfTheChain();
  }

  @Override
  public T deserialize(DataInputView source) {
    throw outOfTheChain();
  }

  @Override
  public T deserialize(T reuse, DataInputView source) {
    throw outOfTheChain();
  }

  @Override
  public void copy(DataInputView source, DataOutputView target) {
    throw outOfTheChain();
  }

  @Override
  public TypeSerializerSnapshot<T> snapshotConfiguration() {
    return new Snapshot<>();
  }

  /** Nothing is ever written. */
  public static final class Snapshot<T> extends SimpleTypeSerializerSnapshot<T> {
    public Snapshot() {
      super(InChainSerializer::new);
    }
  }
}
