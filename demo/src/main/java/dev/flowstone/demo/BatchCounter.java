// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

import dev.flowstone.format.PacketBatch;
import dev.flowstone.format.PacketBatchDecoder;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts packets and losses from the messages themselves. One thread takes messages, any may ask.
 */
final class BatchCounter {
  private final PacketBatchDecoder decoder = new PacketBatchDecoder();
  private final LongAdder packets = new LongAdder();
  private final LongAdder lost = new LongAdder();
  private final LongAdder lostBeforeTap = new LongAdder();

  /** The message's packets, once they are counted. */
  PacketBatch take(byte[] message) {
    PacketBatch batch = PacketBatch.decode(decoder, message);
    packets.add(batch.count());
    lost.add(batch.header().lossBefore().inRing());
    lostBeforeTap.add(batch.header().lossBefore().beforeTap());
    return batch;
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
