// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.anomaly.pane;

import dev.flowstone.model.AddressText;
import java.io.IOException;
import java.io.Serializable;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/**
 * Whom a detector of a rule watches: a destination, or with it the port that answers come from, or
 * a source and the port that it looks for. Flink's key.
 *
 * @param ruleId see {@link dev.flowstone.operators.ruled.RulesInForce#id}
 * @param detector its number among the rule's
 * @param high upper half of the address
 * @param port or {@link #NO_PORT}
 */
public record Subject(long ruleId, int detector, boolean ipv4, long high, long low, int port)
    implements Comparable<Subject>, Serializable {
  public static final int NO_PORT = -1;

  /** Flink's key groups are found by it: it must be the same in every JVM, and stay so. */
  @Override
  public int hashCode() {
    long hash = ruleId;
    hash = hash * 31 + detector;
    hash = hash * 31 + (ipv4 ? 1 : 0);
    hash = hash * 31 + high;
    hash = hash * 31 + low;
    hash = hash * 31 + port;
    return Long.hashCode(hash);
  }

  /**
   * Some order. Senders can choose addresses of one hash, and a {@link java.util.HashMap} then
   * finds its keys by their order.
   */
  @Override
  public int compareTo(Subject other) {
    int order = Long.compare(low, other.low);
    order = order != 0 ? order : Long.compare(high, other.high);
    order = order != 0 ? order : Integer.compare(port, other.port);
    order = order != 0 ? order : Boolean.compare(ipv4, other.ipv4);
    order = order != 0 ? order : Integer.compare(detector, other.detector);
    return order != 0 ? order : Long.compare(ruleId, other.ruleId);
  }

  /** For {@link #read}. */
  public void write(DataOutputView out) throws IOException {
    out.writeLong(ruleId);
    out.writeInt(detector);
    out.writeBoolean(ipv4);
    out.writeLong(high);
    out.writeLong(low);
    out.writeInt(port);
  }

  /** As {@link #write} wrote it. */
  public static Subject read(DataInputView in) throws IOException {
    return new Subject(
        in.readLong(), in.readInt(), in.readBoolean(), in.readLong(), in.readLong(), in.readInt());
  }

  public String address() {
    return AddressText.of(high, low, ipv4);
  }

  /** {@code 192.0.2.1}, {@code 192.0.2.1:53}, {@code [2001:db8::1]:53}. */
  @Override
  public String toString() {
    if (port == NO_PORT) {
      return address();
    }
    return (ipv4 ? address() : "[" + address() + "]") + ":" + port;
  }
}
