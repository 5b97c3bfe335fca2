// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.endtoend;

import dev.flowstone.format.PacketBatch;
import dev.flowstone.format.PacketBatchDecoder;
import dev.flowstone.format.PacketBatchHeader;
import dev.flowstone.model.PacketRecord;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Books every message in the order of its partition: what is missing, doubled or misplaced. */
final class BatchLedger {
  private static final int MOST_FAULTS = 20;

  /**
   * Between two batches stand control records only: a TIME or LOSS here and there, each of which
   * ends a run. More than these in a row would be packets that are missing.
   */
  private static final long MOST_CONTROL_RECORDS = 4;

  private record Lane(long stream, long incarnation) {}

  private final PacketBatchDecoder decoder = new PacketBatchDecoder();
  private final Map<Lane, Long> nextPositions = new HashMap<>();
  private final Map<Long, Integer> partitionOfStream = new HashMap<>();
  private final FlowOrder flows = new FlowOrder();
  private final List<String> faults = new ArrayList<>();
  private long packets;
  private long lost;
  private long batches;

  void book(ConsumerRecord<byte[], byte[]> message) {
    PacketBatch batch = PacketBatch.decode(decoder, message.value());
    bookPlace(batch.header(), message.partition());
    batches++;
    packets += batch.count();
    lost += batch.header().lossBefore().inRing();
    for (int i = 0; i < batch.count(); i++) {
      bookPacket(batch, i);
    }
  }

  private void bookPlace(PacketBatchHeader header, int partition) {
    Lane lane = new Lane(header.stream(), header.incarnation());
    Integer earlierPartition = partitionOfStream.putIfAbsent(header.stream(), partition);
    if (earlierPartition != null && earlierPartition != partition) {
      fault(lane + " is in partitions " + earlierPartition + " and " + partition);
    }
    if (header.positionSpan() != header.count() - 1) {
      fault(lane + " spans " + header.positionSpan() + " with " + header.count() + " packets");
    }
    long expected = nextPositions.getOrDefault(lane, 0L);
    long skipped = header.firstPosition() - expected;
    if (skipped < 0 || skipped > MOST_CONTROL_RECORDS) {
      fault(lane + " goes from " + expected + " to " + header.firstPosition());
    }
    nextPositions.put(lane, header.firstPosition() + header.positionSpan() + 1);
  }

  private void bookPacket(PacketBatch batch, int index) {
    long offset = batch.offsetBytes(index);
    int kind = PacketRecord.kind(PacketRecord.descriptor(batch.records(), offset));
    if (PacketRecord.isIp(kind)) {
      String fault = flows.follow(batch.records(), offset, batch.timeNs(index));
      if (fault != null) {
        fault(fault);
      }
    }
  }

  private void fault(String fault) {
    if (faults.size() < MOST_FAULTS) {
      faults.add(fault);
    }
  }

  /** The first faults found; empty when all is in order. */
  List<String> faults() {
    return faults;
  }

  long packets() {
    return packets;
  }

  long lost() {
    return lost;
  }

  long batches() {
    return batches;
  }

  FlowOrder flows() {
    return flows;
  }
}
