// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.anomaly.pane;

import java.io.IOException;
import java.io.Serializable;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/**
 * Where a packet is to be found again.
 *
 * @param timeNs UTC nanoseconds
 * @param stream of its ring
 * @param position in it
 */
public record Spot(long timeNs, long stream, long position) implements Serializable {

  void write(DataOutputView out) throws IOException {
    out.writeLong(timeNs);
    out.writeLong(stream);
    out.writeLong(position);
  }

  static Spot read(DataInputView in) throws IOException {
    return new Spot(in.readLong(), in.readLong(), in.readLong());
  }
}
