// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.testbed.kafka;

import dev.flowstone.format.PacketBatch;
import dev.flowstone.format.PacketBatchDecoder;
import dev.flowstone.format.PacketBatchHeader;
import dev.flowstone.harness.CommittedMessages;
import dev.flowstone.harness.KafkaTopic;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** What a read_committed consumer finds in a topic, by stream, rule and weight. */
public final class ReadSample {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private record Group(long stream, int rule, int weight) {}

  private final PacketBatchDecoder decoder = new PacketBatchDecoder();
  private final Map<Group, List<ReadPacket>> packets = new LinkedHashMap<>();
  private long lost;
  private long lostBeforeTap;

  public static ReadSample of(KafkaTopic topic) throws Exception {
    ReadSample sample = new ReadSample();
    CommittedMessages.readAll(topic, LIMIT, sample::book);
    return sample;
  }

  private void book(ConsumerRecord<byte[], byte[]> message) {
    PacketBatch batch = PacketBatch.decode(decoder, message.value());
    PacketBatchHeader header = batch.header();
    lost += header.lossBefore().inRing();
    lostBeforeTap += header.lossBefore().beforeTap();
    if (batch.count() == 0) {
      return;
    }
    Group group = new Group(header.stream(), header.rule(), (int) header.samplingWeight());
    List<ReadPacket> known = packets.computeIfAbsent(group, _ -> new ArrayList<>());
    for (int i = 0; i < batch.count(); i++) {
      known.add(ReadPacket.of(batch, i));
    }
  }

  public List<ReadPacket> of(long stream, int rule, int weight) {
    return packets.getOrDefault(new Group(stream, rule, weight), List.of());
  }

  public Set<Long> streams() {
    return packets.keySet().stream().map(Group::stream).collect(Collectors.toSet());
  }

  public Set<Integer> rules() {
    return packets.keySet().stream().map(Group::rule).collect(Collectors.toSet());
  }

  public Set<Integer> weights() {
    return packets.keySet().stream().map(Group::weight).collect(Collectors.toSet());
  }

  public void forEach(Consumer<ReadPacket> each) {
    packets.values().forEach(list -> list.forEach(each));
  }

  public long packets() {
    return packets.values().stream().mapToLong(List::size).sum();
  }

  /** Of how many there were: the sum of the weights. */
  public long estimate() {
    return packets.entrySet().stream()
        .mapToLong(group -> (long) group.getKey().weight * group.getValue().size())
        .sum();
  }

  /** In rings, as the messages tell. */
  public long lost() {
    return lost;
  }

  /** Before rings, as the messages tell. */
  public long lostBeforeTap() {
    return lostBeforeTap;
  }
}
