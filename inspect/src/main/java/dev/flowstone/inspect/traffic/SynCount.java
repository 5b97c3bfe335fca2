// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.inspect.traffic;

import dev.flowstone.model.AddressText;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Comparator;
import java.util.concurrent.TimeUnit;

/**
 * SYNs without ACK to one destination within one tumbling window.
 *
 * @param windowStartNs start of the window, aligned to the epoch
 * @param port destination port, or {@link #ALL_PORTS}
 */
public record SynCount(
    long windowStartNs, long addressHigh, long addressLow, boolean ipv4, int port, long count) {
  public static final long WINDOW_NS = TimeUnit.SECONDS.toNanos(5);
  static final int ALL_PORTS = -1;

  static final Comparator<SynCount> BY_WINDOW_AND_DESTINATION =
      Comparator.comparingLong(SynCount::windowStartNs)
          .thenComparing(SynCount::addressBytes, Arrays::compareUnsigned)
          .thenComparingInt(SynCount::port);

  public String address() {
    return AddressText.of(addressHigh, addressLow, ipv4);
  }

  /** 4 or 16, in network byte order. */
  private byte[] addressBytes() {
    return ipv4
        ? ByteBuffer.allocate(Integer.BYTES).putInt((int) addressLow).array()
        : ByteBuffer.allocate(2 * Long.BYTES).putLong(addressHigh).putLong(addressLow).array();
  }

  SynCount ofAllPorts() {
    return withPortAndCount(ALL_PORTS, count);
  }

  SynCount plus(SynCount other) {
    return withPortAndCount(port, count + other.count);
  }

  /** What is counted, as a key. */
  SynCount key() {
    return withPortAndCount(port, 0);
  }

  private SynCount withPortAndCount(int otherPort, long otherCount) {
    return new SynCount(windowStartNs, addressHigh, addressLow, ipv4, otherPort, otherCount);
  }
}
