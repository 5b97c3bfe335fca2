// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo.function;

import dev.flowstone.model.FlowTuple;
import java.nio.ByteBuffer;

/** A flow and its run as a checkpoint has them. */
final class RunState {
  static final int BYTES = 8 * Long.BYTES + 4 * Integer.BYTES;

  private RunState() {}

  static void put(ByteBuffer bytes, FlowTuple flow, Run run) {
    bytes.putLong(flow.sourceHigh()).putLong(flow.sourceLow());
    bytes.putLong(flow.destinationHigh()).putLong(flow.destinationLow());
    bytes.putInt(flow.sourcePort()).putInt(flow.destinationPort());
    bytes.putInt(flow.protocol()).putInt(flow.ipv4() ? 4 : 0);
    bytes.putLong(run.firstNs()).putLong(run.lastNs());
    bytes.putLong(run.packets()).putLong(run.bytes());
  }

  static FlowTuple flow(ByteBuffer bytes) {
    return new FlowTuple(
        bytes.getLong(),
        bytes.getLong(),
        bytes.getLong(),
        bytes.getLong(),
        bytes.getInt(),
        bytes.getInt(),
        bytes.getInt(),
        bytes.getInt() == 4);
  }

  static Run run(ByteBuffer bytes) {
    return new Run(bytes.getLong(), bytes.getLong(), bytes.getLong(), bytes.getLong());
  }
}
