// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.ruled;

import org.apache.flink.api.common.typeutils.SimpleTypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.base.TypeSerializerSingleton;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/**
 * Hands blocks on by reference. Rules that came along with each block would cost more than the
 * packets: where packets must go elsewhere, plain blocks do, and get their rules there.
 */
final class RuledBlockSerializer extends TypeSerializerSingleton<RuledBlock> {
  private static final long serialVersionUID = 1L;

  private static UnsupportedOperationException outOfTheChain() {
    return new UnsupportedOperationException(
        "blocks with rules stay in the chain of operators that made them: leave"
            + " pipeline.operator-chaining.enabled as it is, and give what works on them the"
            + " parallelism of what makes them");
  }

  @Override
  public boolean isImmutableType() {
    return true;
  }

  @Override
  public RuledBlock createInstance() {
    throw outOfTheChain();
  }

  @Override
  public RuledBlock copy(RuledBlock block) {
    return block;
  }

  @Override
  public RuledBlock copy(RuledBlock block, RuledBlock reuse) {
    return block;
  }

  @Override
  public int getLength() {
    return -1;
  }

  @Override
  public void serialize(RuledBlock block, DataOutputView target) {
    throw outOfTheChain();
  }

  @Override
  public RuledBlock deserialize(DataInputView source) {
    throw outOfTheChain();
  }

  @Override
  public RuledBlock deserialize(RuledBlock reuse, DataInputView source) {
    throw outOfTheChain();
  }

  @Override
  public void copy(DataInputView source, DataOutputView target) {
    throw outOfTheChain();
  }

  @Override
  public TypeSerializerSnapshot<RuledBlock> snapshotConfiguration() {
    return new Snapshot();
  }

  /** Nothing is ever written. */
  public static final class Snapshot extends SimpleTypeSerializerSnapshot<RuledBlock> {
    public Snapshot() {
      super(RuledBlockSerializer::new);
    }
  }
}
