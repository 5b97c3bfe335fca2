// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.kafkastreams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.format.BatchOrigin;
import dev.flowstone.format.BodyKind;
import dev.flowstone.format.PacketBatchEncoder;
import dev.flowstone.model.PacketLoss;
import dev.flowstone.model.abi.PacketRecordLayout;
import dev.flowstone.model.abi.RecordKind;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.TestInputTopic;
import org.apache.kafka.streams.TopologyTestDriver;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SynFloodTest {
  private static final long START_MS = 1_767_225_600_000L;
  private static final long NS_PER_MS = 1_000_000;
  private static final int SYN = 0x02;
  private static final int SYN_ACK = 0x12;
  private static final int ONE = 0xc000_0201;
  private static final int OTHER = 0xc000_0202;

  @TempDir private Path folder;

  private final SynCounts counts = new SynCounts();
  private final PacketBatchEncoder encoder = new PacketBatchEncoder(BodyKind.COLUMNS, 2);
  private TopologyTestDriver driver;
  private TestInputTopic<byte[], byte[]> packets;

  @BeforeEach
  void start() {
    Properties properties = new Properties();
    properties.setProperty(StreamsConfig.APPLICATION_ID_CONFIG, "test");
    properties.setProperty(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, "nowhere:1");
    properties.setProperty(StreamsConfig.STATE_DIR_CONFIG, folder.toString());
    driver = new TopologyTestDriver(SynFlood.of("packets", "attacks", counts), properties);
    packets =
        driver.createInputTopic("packets", new ByteArraySerializer(), new ByteArraySerializer());
  }

  @AfterEach
  void stop() {
    driver.close();
  }

  @Test
  void shouldCountTheSynsOfEachDestinationAndWindow() {
    send(11, START_MS, ONE, SYN);
    send(1, START_MS + 4_999, ONE, SYN);
    send(10, START_MS + 5_000, ONE, SYN);
    send(10, START_MS, OTHER, SYN);
    send(30, START_MS, OTHER, SYN_ACK);

    assertThat(told()).isEqualTo(Map.of(START_MS + " 192.0.2.1", "12"));
    assertThat(counts.packets()).isEqualTo(62);
    assertThat(counts.isDone(62)).isTrue();
    assertThat(counts.isDone(63)).isFalse();
  }

  /** Partitions are not read in the order of time: what comes late is counted all the same. */
  @Test
  void shouldCountWhatComesLate() {
    send(10, START_MS, ONE, SYN);
    send(1, START_MS + 60_000, OTHER, SYN);
    send(1, START_MS, ONE, SYN);

    assertThat(told()).isEqualTo(Map.of(START_MS + " 192.0.2.1", "11"));
  }

  @Test
  void shouldRefuseSeveralPacketsInAMessage() {
    assertThatThrownBy(() -> packets.pipeInput(message(2, START_MS, ONE, SYN)))
        .hasStackTraceContaining("a message of 2 packets; one for each is wanted");
  }

  private Map<String, String> told() {
    return driver
        .createOutputTopic("attacks", new StringDeserializer(), new StringDeserializer())
        .readKeyValuesToMap();
  }

  private void send(int times, long timeMs, int destination, int flags) {
    for (int i = 0; i < times; i++) {
      packets.pipeInput(message(1, timeMs, destination, flags));
    }
  }

  private byte[] message(int count, long timeMs, int destination, int flags) {
    long timeNs = timeMs * NS_PER_MS;
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment records =
          arena.allocate(count * PacketRecordLayout.SIZE_BYTES, PacketRecordLayout.SIZE_BYTES);
      for (int i = 0; i < count; i++) {
        write(records.asSlice(i * PacketRecordLayout.SIZE_BYTES), timeNs, destination, flags);
      }
      BatchOrigin origin = new BatchOrigin(1, 1, 0, timeNs, true, PacketLoss.NONE, 0, 1);
      return encoder.encode(origin, records, 0, count);
    }
  }

  private static void write(MemorySegment record, long timeNs, int destination, int flags) {
    ValueLayout.OfInt little = ValueLayout.JAVA_INT.withOrder(ByteOrder.LITTLE_ENDIAN);
    ValueLayout.OfInt network = ValueLayout.JAVA_INT.withOrder(ByteOrder.BIG_ENDIAN);
    record.set(little, PacketRecordLayout.TIME_LOW_OFFSET, (int) timeNs);
    record.set(network, PacketRecordLayout.SOURCE_ADDRESS_OFFSET + 8, 0xffff);
    record.set(network, PacketRecordLayout.DESTINATION_ADDRESS_OFFSET + 8, 0xffff);
    record.set(network, PacketRecordLayout.DESTINATION_ADDRESS_OFFSET + 12, destination);
    record.set(ValueLayout.JAVA_BYTE, PacketRecordLayout.PROTOCOL_OFFSET, (byte) 6);
    record.set(ValueLayout.JAVA_BYTE, PacketRecordLayout.TCP_FLAGS_OFFSET, (byte) flags);
    record.set(
        little,
        PacketRecordLayout.DESCRIPTOR_OFFSET,
        RecordKind.IPV4 << PacketRecordLayout.KIND_SHIFT
            | 64 << PacketRecordLayout.FRAME_LENGTH_SHIFT);
  }
}
