// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.testbed.kafka;

import dev.flowstone.format.PacketBatch;
import dev.flowstone.format.PacketBatchDecoder;
import dev.flowstone.format.PacketBatchHeader;
import dev.flowstone.model.PacketRecord;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Books every message in the order of its partition: what is missing, doubled or misplaced. Packets
 * may be missing only where the messages themselves tell of a loss.
 */
public final class BatchLedger {
  private static final int MOST_FAULTS = 20;

  /**
   * Between two batches stand control records only: a TIME or LOSS here and there, each of which
   * ends a run. More than these in a row would be packets that are missing.
   */
  private static final long MOST_CONTROL_RECORDS = 4;

  /** What a stream's messages hold, and what they say is lost of it. */
  public record Account(long packets, long lost) {
    private Account plus(PacketBatchHeader header) {
      return new Account(packets + header.count(), lost + header.lossBefore().inRing());
    }

    public long accounted() {
      return packets + lost;
    }
  }

  /** One incarnation of a stream: positions and flows go on within it. */
  private static final class Lane {
    private final long incarnation;
    private final FlowOrder flows;
    private final List<String> gaps = new ArrayList<>();
    private long nextPosition;
    private boolean hasLosses;

    Lane(long incarnation, FlowOrder flows) {
      this.incarnation = incarnation;
      this.flows = flows;
    }
  }

  private final boolean clockSteps;
  private final PacketBatchDecoder decoder = new PacketBatchDecoder();

  /** Of each stream, the latest incarnation last. */
  private final Map<Long, List<Lane>> lanes = new HashMap<>();

  private final Map<Long, Account> accounts = new TreeMap<>();
  private final Map<Long, Integer> partitionOfStream = new HashMap<>();
  private final List<String> faults = new ArrayList<>();
  private long batches;
  private long timeSumNs;

  public BatchLedger() {
    this(false);
  }

  /**
   * @param clockSteps whether the packets' times may go back
   */
  public BatchLedger(boolean clockSteps) {
    this.clockSteps = clockSteps;
  }

  /** As {@link #book} does, but for what is in the packets. */
  public void bookHeader(ConsumerRecord<byte[], byte[]> message) {
    bookHeader(decoder.readHeader(message.value()), message.partition());
  }

  private Lane bookHeader(PacketBatchHeader header, int partition) {
    bookPartition(header, partition);
    Lane lane = laneOf(header);
    bookPlace(lane, header);
    batches++;
    accounts.merge(
        header.stream(), new Account(0, 0).plus(header), (known, _) -> known.plus(header));
    return lane;
  }

  public void book(ConsumerRecord<byte[], byte[]> message) {
    PacketBatch batch = PacketBatch.decode(decoder, message.value());
    Lane lane = bookHeader(batch.header(), message.partition());
    for (int i = 0; i < batch.count(); i++) {
      bookPacket(lane, batch, i);
    }
  }

  private void bookPartition(PacketBatchHeader header, int partition) {
    Integer earlierPartition = partitionOfStream.putIfAbsent(header.stream(), partition);
    if (earlierPartition != null && earlierPartition != partition) {
      add(faults, name(header) + " is in partitions " + earlierPartition + " and " + partition);
    }
  }

  private Lane laneOf(PacketBatchHeader header) {
    List<Lane> all = lanes.computeIfAbsent(header.stream(), _ -> new ArrayList<>());
    for (Lane lane : all) {
      if (lane.incarnation == header.incarnation()) {
        if (lane != all.getLast()) {
          add(faults, name(header) + " comes after its successor");
        }
        return lane;
      }
    }
    all.add(new Lane(header.incarnation(), new FlowOrder(clockSteps)));
    return all.getLast();
  }

  /** A message without packets tells of a loss, whenever that became known. */
  private void bookPlace(Lane lane, PacketBatchHeader header) {
    lane.hasLosses |= header.lossBefore().inRing() > 0;
    if (header.count() == 0) {
      return;
    }
    if (header.positionSpan() != header.count() - 1) {
      add(faults, name(header) + " spans " + header.positionSpan() + " with " + header.count());
    }
    long skipped = header.firstPosition() - lane.nextPosition;
    String jump =
        name(header) + " goes from " + lane.nextPosition + " to " + header.firstPosition();
    if (skipped < 0) {
      add(faults, jump);
    } else if (skipped > MOST_CONTROL_RECORDS) {
      add(lane.gaps, jump);
    }
    lane.nextPosition = header.firstPosition() + header.count();
  }

  private static String name(PacketBatchHeader header) {
    return String.format("stream %016x, %016x", header.stream(), header.incarnation());
  }

  private void bookPacket(Lane lane, PacketBatch batch, int index) {
    long offset = batch.offsetBytes(index);
    timeSumNs += batch.timeNs(index);
    int kind = PacketRecord.kind(PacketRecord.descriptor(batch.records(), offset));
    if (PacketRecord.isIp(kind)) {
      FlowOrder.Finding finding = lane.flows.follow(batch.records(), offset, batch.timeNs(index));
      if (finding != null) {
        add(finding.isGap() ? lane.gaps : faults, finding.text());
      }
    }
  }

  private static void add(List<String> faults, String fault) {
    if (faults.size() < MOST_FAULTS) {
      faults.add(fault);
    }
  }

  /** The first faults found; empty when all is in order. */
  public List<String> faults() {
    return Stream.concat(
            faults.stream(),
            lanes().filter(lane -> !lane.hasLosses).flatMap(lane -> lane.gaps.stream()))
        .toList();
  }

  public Map<Long, Account> accounts() {
    return accounts;
  }

  public long packets() {
    return accounts.values().stream().mapToLong(Account::packets).sum();
  }

  public long lost() {
    return accounts.values().stream().mapToLong(Account::lost).sum();
  }

  public long batches() {
    return batches;
  }

  /** Of all packets' times; one that was changed shows. */
  public long timeSumNs() {
    return timeSumNs;
  }

  /** In all lanes: a flow is in one stream only. */
  public int distinctTuples() {
    return flows().mapToInt(FlowOrder::distinctTuples).sum();
  }

  public long synWithoutAck() {
    return flows().mapToLong(FlowOrder::synWithoutAck).sum();
  }

  public long synWithAck() {
    return flows().mapToLong(FlowOrder::synWithAck).sum();
  }

  private Stream<FlowOrder> flows() {
    return lanes().map(lane -> lane.flows);
  }

  private Stream<Lane> lanes() {
    return lanes.values().stream().flatMap(List::stream);
  }
}
