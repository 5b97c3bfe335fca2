// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.resample;

import dev.flowstone.traffic.synthetic.SyntheticOptions;
import java.nio.file.Path;
import java.util.List;

/**
 * What traffic to make of captures. The same options and captures make the same packets, byte by
 * byte and nanosecond by nanosecond.
 *
 * @param captures the templates, each as likely as the others
 * @param seed chooses the times of instances, and their addresses
 * @param packetsPerSecond mean rate in packet time; how many instances live at a time follows
 * @param startNs time of the traffic's begin, UTC
 * @param instances how many in all, each of them whole; {@link #UNLIMITED}: without end, and as if
 *     it had begun long ago, so that the first packets belong to instances that are under way
 * @param packets packets in all; {@link #UNLIMITED}
 */
public record ResampleOptions(
    List<Path> captures,
    long seed,
    long packetsPerSecond,
    long startNs,
    long instances,
    long packets) {
  public static final long UNLIMITED = 0;
  public static final long DEFAULT_PACKETS_PER_SECOND = 1_000_000;
  public static final int MAX_CAPTURES = 10_000;

  /** A fixed date, so that runs are reproducible. */
  public static final long DEFAULT_START_NS = SyntheticOptions.DEFAULT_START_NS;

  public ResampleOptions {
    captures = List.copyOf(captures);
    if (captures.isEmpty() || captures.size() > MAX_CAPTURES) {
      throw new IllegalArgumentException(
          "resample takes from 1 to " + MAX_CAPTURES + " captures: captures=" + captures.size());
    }
    if (packetsPerSecond < 1 || packetsPerSecond > SyntheticOptions.MAX_PACKETS_PER_SECOND) {
      throw new IllegalArgumentException(
          "rate must be from 1 to "
              + SyntheticOptions.MAX_PACKETS_PER_SECOND
              + " packets/s: rate="
              + packetsPerSecond);
    }
    if (startNs < 0) {
      throw new IllegalArgumentException("start must be 1970 or later: startNs=" + startNs);
    }
    if (instances < 0 || packets < 0) {
      throw new IllegalArgumentException(
          "instances and packets must not be negative: instances="
              + instances
              + ", packets="
              + packets);
    }
  }

  /** A million packets per second without end. */
  public static ResampleOptions of(List<Path> captures) {
    return new ResampleOptions(
        captures, 1, DEFAULT_PACKETS_PER_SECOND, DEFAULT_START_NS, UNLIMITED, UNLIMITED);
  }

  public ResampleOptions withSeed(long value) {
    return new ResampleOptions(captures, value, packetsPerSecond, startNs, instances, packets);
  }

  public ResampleOptions withPacketsPerSecond(long value) {
    return new ResampleOptions(captures, seed, value, startNs, instances, packets);
  }

  public ResampleOptions withStartNs(long value) {
    return new ResampleOptions(captures, seed, packetsPerSecond, value, instances, packets);
  }

  public ResampleOptions withInstances(long value) {
    return new ResampleOptions(captures, seed, packetsPerSecond, startNs, value, packets);
  }

  public ResampleOptions withPackets(long value) {
    return new ResampleOptions(captures, seed, packetsPerSecond, startNs, instances, value);
  }
}
