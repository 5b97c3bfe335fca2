// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.chain;

import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/** Hands elements on as they are, and writes none: they hold memory or rules of this process. */
final class ByReferenceSerializer<T> extends TypeSerializer<T> {
  private static final long serialVersionUID = 1L;

  private final Class<T> type;

  ByReferenceSerializer(Class<T> type) {
    this.type = type;
  }

  private UnsupportedOperationException outOfTheChain() {
    return new UnsupportedOperationException(
        type.getSimpleName()
            + " stays in the chain of operators that made it: leave"
            + " pipeline.operator-chaining.enabled as it is, and give what works on it the"
            + " parallelism of what makes it");
  }

  @Override
  public boolean isImmutableType() {
    return true;
  }

  @Override
  public TypeSerializer<T> duplicate() {
    return this;
  }

  @Override
  public T createInstance() {
    return null;
  }

  @Override
  public T copy(T element) {
    return element;
  }

  @Override
  public T copy(T element, T reuse) {
    return element;
  }

  @Override
  public int getLength() {
    return -1;
  }

  @Override
  public void serialize(T element, DataOutputView target) {
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
    throw outOfTheChain();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ByReferenceSerializer<?> that && type.equals(that.type);
  }

  @Override
  public int hashCode() {
    return type.hashCode();
  }
}
