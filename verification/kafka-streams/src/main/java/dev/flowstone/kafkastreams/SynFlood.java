// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.kafkastreams;

import dev.flowstone.format.PacketBatch;
import dev.flowstone.format.kafka.PacketBatchSerde;
import dev.flowstone.model.AddressText;
import dev.flowstone.model.PacketRecord;
import java.time.Duration;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.kstream.Repartitioned;
import org.apache.kafka.streams.kstream.TimeWindows;

/**
 * SYN floods as textbooks of Kafka Streams have them: the SYNs of a topic with one packet in each
 * message, grouped by destination, counted in windows of five seconds, and told from the eleventh
 * on. A count is told anew as it grows; the last one is the window's.
 *
 * <p>Results have {@code BEGIN_MS DESTINATION} for a key and the count for a value, both as text.
 */
final class SynFlood {
  static final Duration WINDOW = Duration.ofSeconds(5);
  static final int THRESHOLD = 10;

  /** What Kafka Streams had by itself before one was asked to say it. */
  private static final Duration GRACE = Duration.ofHours(24);

  private static final int SYN = 0x02;
  private static final int ACK = 0x10;

  private SynFlood() {}

  static Topology of(String packetsTopic, String resultsTopic, SynCounts counts) {
    StreamsBuilder builder = new StreamsBuilder();
    builder.stream(
            packetsTopic,
            Consumed.with(Serdes.ByteArray(), new PacketBatchSerde())
                .withTimestampExtractor(new PacketTime()))
        .filter(
            (_, packet) -> {
              boolean isSyn = isSyn(packet);
              counts.read(packet.count(), isSyn);
              return isSyn;
            })
        // groupBy does these two in one; so there is a place to see that all have come through.
        .selectKey((_, syn) -> destination(syn))
        .repartition(Repartitioned.with(Serdes.String(), new PacketBatchSerde()).withName("syns"))
        .peek((_, _) -> counts.grouped())
        .groupByKey()
        .windowedBy(TimeWindows.ofSizeAndGrace(WINDOW, GRACE))
        .count()
        .toStream()
        .filter((_, count) -> count > THRESHOLD)
        .map(
            (window, count) ->
                KeyValue.pair(window.window().start() + " " + window.key(), count.toString()))
        .to(resultsTopic, Produced.with(Serdes.String(), Serdes.String()));
    return builder.build();
  }

  private static boolean isSyn(PacketBatch packet) {
    return packet.count() > 0
        && (PacketRecord.tcpFlags(packet.records(), packet.offsetBytes(0)) & (SYN | ACK)) == SYN;
  }

  private static String destination(PacketBatch packet) {
    long offset = packet.offsetBytes(0);
    return AddressText.of(
        PacketRecord.destinationAddressHigh(packet.records(), offset),
        PacketRecord.destinationAddressLow(packet.records(), offset),
        PacketRecord.isIpv4(PacketRecord.kind(PacketRecord.descriptor(packet.records(), offset))));
  }
}
