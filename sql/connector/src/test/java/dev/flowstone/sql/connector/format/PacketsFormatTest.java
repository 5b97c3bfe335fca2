// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.sql.connector.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.format.BatchOrigin;
import dev.flowstone.format.BodyKind;
import dev.flowstone.format.PacketBatch;
import dev.flowstone.format.PacketBatchDecoder;
import dev.flowstone.format.PacketBatchEncoder;
import dev.flowstone.harness.ScratchFolder;
import dev.flowstone.model.PacketLoss;
import dev.flowstone.model.PacketRecord;
import dev.flowstone.model.StreamNumber;
import dev.flowstone.model.abi.PacketRecordLayout;
import dev.flowstone.offheap.ring.ObservingReader;
import dev.flowstone.offheap.ring.RingDirectory;
import dev.flowstone.offheap.ring.RingFile;
import dev.flowstone.offheap.ring.RingReader.Poll;
import dev.flowstone.offheap.ring.RingStart;
import dev.flowstone.raw.PacketSource;
import dev.flowstone.sql.connector.packets.PacketColumn;
import dev.flowstone.tap.RecordedRings;
import dev.flowstone.tap.replay.ReplayOptions;
import dev.flowstone.tap.replay.ReplaySource;
import dev.flowstone.traffic.synthetic.SyntheticOptions;
import dev.flowstone.traffic.synthetic.SyntheticSource;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.flink.api.common.serialization.DeserializationSchema;
import org.apache.flink.api.common.serialization.SerializationSchema;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.SimpleCounter;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.catalog.CatalogTable;
import org.apache.flink.table.catalog.Column;
import org.apache.flink.table.catalog.ResolvedCatalogTable;
import org.apache.flink.table.catalog.ResolvedSchema;
import org.apache.flink.table.connector.Projection;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.connector.source.ScanRuntimeProviderContext;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.runtime.typeutils.RowDataSerializer;
import org.apache.flink.table.types.DataType;
import org.apache.flink.util.Collector;
import org.apache.flink.util.SimpleUserCodeClassLoader;
import org.apache.flink.util.UserCodeClassLoader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PacketsFormatTest {
  private static final int PACKETS = 5_000;
  private static final int OTHERS = 103;
  private static final int BLOCK = 1_000;
  private static final long RECORD_BYTES = PacketRecordLayout.SIZE_BYTES;
  private static final int WEIGHT = 16;
  private static final int TCP = 6;
  private static final List<String> ALL =
      Stream.of(PacketColumn.values()).map(PacketColumn::columnName).toList();

  /** Neither first nor last are those of the message, nor in the order of its metadata. */
  private static final DataType SAMPLE =
      DataTypes.ROW(
          DataTypes.FIELD("rule", DataTypes.INT()),
          DataTypes.FIELD("time_ns", DataTypes.BIGINT().notNull()),
          DataTypes.FIELD("weight", DataTypes.BIGINT()),
          DataTypes.FIELD("frame_length", DataTypes.INT().notNull()));

  private final Counter unreadable = new SimpleCounter();

  /** What a schema is opened with. */
  private final class Opening
      implements DeserializationSchema.InitializationContext,
          SerializationSchema.InitializationContext {
    @Override
    public MetricGroup getMetricGroup() {
      return new UnregisteredMetricsGroup() {
        @Override
        public Counter counter(String name) {
          return name.equals("unreadableMessages") ? unreadable : super.counter(name);
        }
      };
    }

    @Override
    public UserCodeClassLoader getUserCodeClassLoader() {
      return SimpleUserCodeClassLoader.create(getClass().getClassLoader());
    }
  }

  /** Of a row while it is handed out. */
  private interface Look {
    void at(RowData row) throws Exception;
  }

  private record Looking(Look look) implements Collector<RowData> {
    @Override
    public void collect(RowData row) {
      try {
        look.at(row);
      } catch (Exception e) {
        throw new AssertionError(e);
      }
    }

    @Override
    public void close() {}
  }

  private PacketBatchRows rows(List<BatchPlace> places, boolean ignoresErrors) {
    PacketBatchRows rows =
        new PacketBatchRows(new MessageColumns(ALL), places, null, List.of(), false, ignoresErrors);
    rows.open(new Opening());
    return rows;
  }

  /** Messages of all packets, the last of a ring shorter than the others. */
  private static List<byte[]> messages(PacketSource source, long packets) throws Exception {
    List<byte[]> messages = new ArrayList<>();
    PacketBatchEncoder encoder = new PacketBatchEncoder(BodyKind.COLUMNS, BLOCK);
    try (ScratchFolder folder = ScratchFolder.inMemory("format-test")) {
      RecordedRings.fill(folder.path(), 1, source, packets);
      try (RingFile file = RingFile.open(new RingDirectory(folder.path()).ringFile(0));
          ObservingReader reader = new ObservingReader(file, "observer", RingStart.OLDEST)) {
        for (Poll found = reader.poll(BLOCK);
            found == Poll.PACKETS || found == Poll.CLOCK;
            found = reader.poll(BLOCK)) {
          if (found == Poll.PACKETS) {
            messages.add(
                encoder.encode(
                    new BatchOrigin(
                        StreamNumber.of(77L << 16, 1),
                        7,
                        reader.runPosition(),
                        reader.time().baseNs(),
                        true,
                        messages.isEmpty() ? new PacketLoss(3, 2) : PacketLoss.NONE,
                        4,
                        WEIGHT),
                    file.slots(),
                    file.slotOffset(reader.runPosition()),
                    reader.runCount()));
          }
        }
      }
    }
    return messages;
  }

  /** From packets to rows to packets. */
  @Test
  void shouldKeepEveryField() throws Exception {
    try (PacketSource synthetic =
            new SyntheticSource(SyntheticOptions.preset("syn-flood").withPackets(PACKETS));
        PacketSource others =
            new ReplaySource(
                ReplayOptions.once(Path.of("../../traffic/captures/ping-arp-fragments.pcap")))) {
      assertThat(requireKept(messages(synthetic, PACKETS))).isEqualTo(PACKETS);
      assertThat(requireKept(messages(others, PACKETS))).isEqualTo(OTHERS);
    }
  }

  /** How many packets there were. */
  private long requireKept(List<byte[]> messages) throws Exception {
    long kept = 0;
    RowPackets packets = new RowPackets(new MessageColumns(ALL));
    packets.open(new Opening());
    PacketBatchRows rows = rows(List.of(), false);
    for (byte[] message : messages) {
      PacketBatch expected = PacketBatch.decode(new PacketBatchDecoder(), message);
      List<PacketBatch> found = new ArrayList<>();
      rows.deserialize(
          message,
          new Looking(
              row ->
                  found.add(PacketBatch.decode(new PacketBatchDecoder(), packets.serialize(row)))));
      assertThat(found).hasSize(expected.count());
      for (int i = 0; i < expected.count(); i++) {
        assertThat(found.get(i).count()).isOne();
        assertThat(found.get(i).timeNs(0)).isEqualTo(expected.timeNs(i));
        assertThat(bytes(found.get(i).records(), 0))
            .isEqualTo(bytes(expected.records(), expected.offsetBytes(i)));
      }
      kept += found.size();
    }
    return kept;
  }

  /**
   * But for what a reader of rings needs, why a packet is not of IP, and the first words of what is
   * not TCP.
   */
  private static byte[] bytes(MemorySegment records, long at) {
    byte[] bytes = records.asSlice(at, RECORD_BYTES).toArray(ValueLayout.JAVA_BYTE);
    bytes[bytes.length - 1] &= 0x1f;
    if (!PacketRecord.isIp(PacketRecord.kind(PacketRecord.descriptor(records, at)))) {
      int port = (int) PacketRecordLayout.SOURCE_PORT_OFFSET;
      Arrays.fill(bytes, port, port + 2, (byte) 0);
    }
    if (PacketRecord.protocol(records, at) != TCP) {
      int words = (int) PacketRecordLayout.SEQUENCE_OFFSET;
      Arrays.fill(bytes, words, words + 8, (byte) 0);
    }
    return bytes;
  }

  @Test
  void shouldSayWhatAMessageSaysOfAllItsPackets() throws Exception {
    try (PacketSource source =
        new SyntheticSource(SyntheticOptions.defaults().withPackets(PACKETS))) {
      List<byte[]> messages = messages(source, PACKETS);
      PacketBatchRows rows = rows(List.of(BatchPlace.values()), false);
      List<String> told = new ArrayList<>();
      int places = ALL.size();
      for (byte[] message : messages) {
        rows.deserialize(
            message,
            new Looking(
                row ->
                    told.add(
                        "ring %d, %s, weight %d, rule %d, %d lost"
                            .formatted(
                                row.getInt(places),
                                row.getString(places + 1),
                                row.getLong(places + 2),
                                row.getInt(places + 3),
                                row.getLong(places + 4)))));
      }
      String stream = StreamNumber.text(StreamNumber.of(77L << 16, 1));
      String usual = "ring 1, " + stream + ", weight 16, rule 4, 0 lost";
      assertThat(told).hasSize(PACKETS);
      assertThat(told.getFirst()).isEqualTo(usual.replace("0 lost", "5 lost"));
      assertThat(told.subList(1, PACKETS)).containsOnly(usual);
    }
  }

  /** Of a row of {@link #SAMPLE}. */
  private byte[] written(Object... values) throws Exception {
    SerializationSchema<RowData> packets =
        new PacketsFormatFactory()
            .createEncodingFormat(null, new Configuration())
            .createRuntimeEncoder(null, SAMPLE);
    packets.open(new Opening());
    return packets.serialize(GenericRowData.of(values));
  }

  /** The row of a query that asks for these columns of {@link #SAMPLE}, and for metadata. */
  private RowData read(byte[] message, List<String> metadata, int... columns) throws Exception {
    DeserializationSchema<RowData> rows = opened(false, metadata, columns);
    RowDataSerializer copies =
        ((InternalTypeInfo<RowData>) rows.getProducedType()).toRowSerializer();
    List<RowData> found = new ArrayList<>();
    rows.deserialize(message, new Looking(row -> found.add(copies.copy(row))));
    assertThat(found).hasSize(1);
    return found.getFirst();
  }

  private DeserializationSchema<RowData> opened(
      boolean isJoined, List<String> metadata, int... columns) throws Exception {
    DecodedPackets format = new DecodedPackets(false, isJoined);
    format.applyReadableMetadata(metadata);
    DeserializationSchema<RowData> rows =
        format.createRuntimeDecoder(
            ScanRuntimeProviderContext.INSTANCE, SAMPLE, Projection.of(columns).toNestedIndexes());
    rows.open(new Opening());
    return rows;
  }

  /** Flink's Kafka connector casts rows to that class before it puts an offset behind them. */
  @Test
  void shouldGiveRowsOfFlinksOwnWhereTheConnectorHasColumnsBeside() throws Exception {
    DeserializationSchema<RowData> rows = opened(true, List.of("rule"), 3, 1);
    List<RowData> found = new ArrayList<>();
    for (long time : new long[] {1_000, 2_000}) {
      rows.deserialize(written(3, time, 10L, 60), new Looking(found::add));
    }
    assertThat(found)
        .containsExactly(GenericRowData.of(60, 1_000L, 3), GenericRowData.of(60, 2_000L, 3));
  }

  /** A table may have nothing but an offset and a partition. */
  @Test
  void shouldGiveRowsOfFlinksOwnWhereTheConnectorHasAllColumns() throws Exception {
    List<RowData> found = new ArrayList<>();
    opened(true, List.of()).deserialize(written(3, 1_000L, 10L, 60), new Looking(found::add));
    assertThat(found).containsExactly(new GenericRowData(0));
  }

  private static ResolvedCatalogTable table(Map<String, String> options, Column... metadata) {
    List<Column> columns = new ArrayList<>(List.of(metadata));
    columns.add(Column.physical("time_ns", DataTypes.BIGINT()));
    return new ResolvedCatalogTable(
        CatalogTable.newBuilder().schema(Schema.newBuilder().build()).options(options).build(),
        ResolvedSchema.of(columns));
  }

  private static Column metadata(String name, String key) {
    return Column.metadata(name, DataTypes.BIGINT(), key, true);
  }

  @Test
  void shouldKnowWhereTheConnectorHasColumnsBeside() {
    assertThat(DecodedPackets.isJoined(table(Map.of()))).isFalse();
    assertThat(DecodedPackets.isJoined(table(Map.of(), metadata("weight", "value.weight"))))
        .isFalse();
    assertThat(DecodedPackets.isJoined(table(Map.of(), metadata("offset", null)))).isTrue();
    assertThat(DecodedPackets.isJoined(table(Map.of(), metadata("weight", "offset")))).isTrue();
    assertThat(DecodedPackets.isJoined(table(Map.of("key.format", "raw")))).isTrue();
  }

  @Test
  void shouldReadTheWeightAndTheRuleThatWereWritten() throws Exception {
    byte[] message = written(3, 1_000L, 10L, 60);
    assertThat(read(message, List.of(), 0, 1, 2, 3))
        .isEqualTo(GenericRowData.of(3, 1_000L, 10L, 60));
    assertThat(read(message, List.of("lost_before", "weight", "rule"), 3, 2))
        .isEqualTo(GenericRowData.of(60, 10L, 0L, 10L, 3));
    assertThat(read(message, List.of("weight", "rule"), 1))
        .isEqualTo(GenericRowData.of(1_000L, 10L, 3));
    assertThat(read(written(65_535, 1_000L, 2_147_483_647L, 60), List.of(), 2, 0))
        .isEqualTo(GenericRowData.of(2_147_483_647L, 65_535));
  }

  @Test
  void shouldWriteAPacketThatStandsForItselfWhereNobodySaysMore() throws Exception {
    assertThat(read(written(null, 1_000L, null, 60), List.of(), 0, 2))
        .isEqualTo(GenericRowData.of(0, 1L));
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0, weight must be 1 to 2147483647: 0",
    "0, 2147483648, weight must be 1 to 2147483647: 2147483648",
    "-1, 1, rule must be 0 to 65535: -1",
    "65536, 1, rule must be 0 to 65535: 65536",
  })
  void shouldRefuseWhatNoMessageSays(int rule, long weight, String words) {
    assertThatThrownBy(() -> written(rule, 1_000L, weight, 60))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(words);
  }

  @Test
  void shouldFailOnRubbishOrCountIt() throws Exception {
    byte[] rubbish = new byte[100];
    Looking nobody =
        new Looking(
            row -> {
              throw new AssertionError("a row of rubbish");
            });
    assertThatThrownBy(() -> rows(List.of(), false).deserialize(rubbish, nobody))
        .hasMessageContaining("not a batch of packets: packet batch refused at header.magic")
        .hasMessageContaining("packets.ignore-parse-errors");
    rows(List.of(), true).deserialize(rubbish, nobody);
    assertThat(unreadable.getCount()).isOne();
  }
}
