// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

import java.util.Optional;
import java.util.OptionalLong;

/**
 * What Kafka will take for the messages of a demo.
 *
 * @param partitions of packets and of results
 */
record MessageSize(int partitions) {
  /** The broker keeps that much of each partition, so that a demo left running fills no disk. */
  static final long KEPT_BYTES = 2L << 30;

  /** Its own files: metadata, indexes, logs, offsets and states of transactions. */
  private static final long BROKER_BYTES = 64L << 20;

  /** More than usual: 8 to 14. */
  private static final int BYTES_PER_PACKET = 16;

  /** Kafka gives back whole segments, of a quarter of what it keeps. */
  long mostBytes() {
    return BROKER_BYTES + partitions * (KEPT_BYTES + KEPT_BYTES / 4);
  }

  /** Of traffic that has an end; empty where nobody knows how many packets will come. */
  OptionalLong bytesOf(Optional<Double> packetsPerSecond, Optional<Integer> seconds) {
    if (packetsPerSecond.isEmpty() || seconds.isEmpty()) {
      return OptionalLong.empty();
    }
    double bytes = BYTES_PER_PACKET * packetsPerSecond.get() * seconds.get();
    return OptionalLong.of((long) Math.min(BROKER_BYTES + bytes, (double) mostBytes()));
  }
}
