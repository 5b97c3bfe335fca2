// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints.delivery;

import dev.flowstone.blocks.WeightedBlock;
import java.util.List;
import org.apache.flink.connector.kafka.sink.KafkaCommittable;

/**
 * A Kafka transaction that waits for its checkpoint, and what goes with it if Kafka gives it up.
 *
 * @param kafka what commits it
 * @param previousCheckpoint its packets came after this one; 0: there was none
 * @param packets how many its messages hold
 * @param losses for each stream and rule an empty block that says how many packets a consumer
 *     misses without those messages: what the packets in them stand for, and the losses that they
 *     tell of
 */
record PacketTransaction(
    KafkaCommittable kafka, long previousCheckpoint, long packets, List<WeightedBlock> losses) {
  String name() {
    return kafka.getTransactionalId();
  }
}
