// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

import dev.flowstone.format.PacketBatchDecoder;
import dev.flowstone.format.PacketBatchHeader;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts packets and losses from the messages themselves. One thread takes messages, any may ask.
 */
final class BatchCounter {
  private final PacketBatchDecoder decoder = new PacketBatchDecoder();
  private final LongAdder packets = new LongAdder();
  private final LongAdder lost = new LongAdder();
  private final LongAdder lostBeforeTap = new LongAdder();

  void take(byte[] message) {
    PacketBatchHeader header = decoder.readHeader(message);
    packets.add(header.count());
    lost.add(header.lossBefore().inRing());
    lostBeforeTap.add(header.lossBefore().beforeTap());
  }

  long packets() {
    return packets.sum();
  }

  long lost() {
    return lost.sum();
  }

  /** Packets that the tap never saw, as the messages tell. */
  long lostBeforeTap() {
    return lostBeforeTap.sum();
  }
}
