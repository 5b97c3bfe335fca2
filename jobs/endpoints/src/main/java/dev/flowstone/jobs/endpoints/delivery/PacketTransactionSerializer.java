// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints.delivery;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.blocks.PacketBlockSerializer;
import dev.flowstone.blocks.RuleMark;
import dev.flowstone.blocks.WeightedBlock;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.connector.kafka.sink.KafkaCommittable;
import org.apache.flink.core.io.SimpleVersionedSerialization;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;

/**
 * Writes a transaction as: previous checkpoint and packets, 8 bytes each, number of losses in 4
 * bytes, for each loss the number of its rule in 4 bytes, name and topic as Java's modified UTF-8,
 * and the block as {@link PacketBlockSerializer} writes it; then as the connector writes it, its
 * version first, what commits the transaction.
 */
final class PacketTransactionSerializer implements SimpleVersionedSerializer<PacketTransaction> {
  /** Version 1 would be that of the connector alone; version 2 knew no rules. */
  private static final int VERSION = 3;

  private static final int USUAL_BYTES = 256;

  private final SimpleVersionedSerializer<KafkaCommittable> kafka;
  private final PacketBlockSerializer blocks = new PacketBlockSerializer();

  PacketTransactionSerializer(SimpleVersionedSerializer<KafkaCommittable> kafka) {
    this.kafka = kafka;
  }

  @Override
  public int getVersion() {
    return VERSION;
  }

  @Override
  public byte[] serialize(PacketTransaction transaction) throws IOException {
    DataOutputSerializer target = new DataOutputSerializer(USUAL_BYTES);
    target.writeLong(transaction.previousCheckpoint());
    target.writeLong(transaction.packets());
    target.writeInt(transaction.losses().size());
    for (WeightedBlock loss : transaction.losses()) {
      target.writeInt(loss.rule().number());
      target.writeUTF(loss.rule().name());
      target.writeUTF(loss.rule().topic());
      blocks.serialize(loss.packets(), target);
    }
    target.write(SimpleVersionedSerialization.writeVersionAndSerialize(kafka, transaction.kafka()));
    return target.getCopyOfBuffer();
  }

  @Override
  public PacketTransaction deserialize(int version, byte[] serialized) throws IOException {
    if (version != VERSION) {
      throw new IOException(
          "the checkpoint has Kafka transactions of version "
              + version
              + ", this job reads version "
              + VERSION
              + ": begin with a checkpoint of this job");
    }
    DataInputDeserializer source = new DataInputDeserializer(serialized);
    long previousCheckpoint = source.readLong();
    long packets = source.readLong();
    int lossCount = source.readInt();
    List<WeightedBlock> losses = new ArrayList<>();
    for (int i = 0; i < lossCount; i++) {
      RuleMark rule = new RuleMark(source.readInt(), source.readUTF(), source.readUTF());
      PacketBlock loss = blocks.deserialize(source);
      losses.add(new WeightedBlock(loss, WeightedBlock.UNSAMPLED, rule));
    }
    byte[] rest = new byte[source.available()];
    source.readFully(rest);
    return new PacketTransaction(
        SimpleVersionedSerialization.readVersionAndDeSerialize(kafka, rest),
        previousCheckpoint,
        packets,
        losses);
  }
}
