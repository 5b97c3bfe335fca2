// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints.delivery;

import dev.flowstone.blocks.PacketBlock;
import java.util.List;
import org.apache.flink.connector.kafka.sink.KafkaCommittable;

/**
 * A Kafka transaction that waits for its checkpoint, and what goes with it if Kafka gives it up.
 *
 * @param kafka what commits it
 * @param previousCheckpoint its packets came after this one; 0: there was none
 * @param packets how many its messages hold
 * @param losses for each stream an empty block that says how many packets a consumer misses without
 *     those messages: the packets in them, and the losses that they tell of
 */
record PacketTransaction(
    KafkaCommittable kafka, long previousCheckpoint, long packets, List<PacketBlock> losses) {
  String name() {
    return kafka.getTransactionalId();
  }
}
