// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.sql.connector.format;

import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.flink.api.common.serialization.DeserializationSchema;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.catalog.Column;
import org.apache.flink.table.catalog.ResolvedCatalogTable;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.table.connector.Projection;
import org.apache.flink.table.connector.format.DecodingFormat;
import org.apache.flink.table.connector.format.ProjectableDecodingFormat;
import org.apache.flink.table.connector.source.DynamicTableSource;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.DataType;
import org.apache.flink.table.types.logical.LogicalType;

/** Rows of the columns that a query asks for, and of what messages say of them. */
final class DecodedPackets
    implements ProjectableDecodingFormat<DeserializationSchema<RowData>>,
        DecodingFormat<DeserializationSchema<RowData>> {
  private static final String KEY_FORMAT = "key.format";

  /** What Flink's connectors put before the names of a format's metadata. */
  private static final String OF_FORMAT = "value.";

  private final boolean ignoresErrors;
  private final boolean isJoined;
  private List<String> places = List.of();

  /**
   * Of a table's messages.
   *
   * @param isJoined whether the connector puts columns of its own beside, see {@link #isJoined}
   */
  DecodedPackets(boolean ignoresErrors, boolean isJoined) {
    this.ignoresErrors = ignoresErrors;
    this.isJoined = isJoined;
  }

  /**
   * Whether a table has metadata of its connector, such as Kafka's offset, or columns out of a
   * message's key. Flink's Kafka connector puts these behind rows of Flink's own class alone.
   */
  static boolean isJoined(ResolvedCatalogTable table) {
    return table.getOptions().containsKey(KEY_FORMAT)
        || table.getResolvedSchema().getColumns().stream().anyMatch(DecodedPackets::isOfConnector);
  }

  private static boolean isOfConnector(Column column) {
    return column instanceof Column.MetadataColumn metadata
        && !metadata.getMetadataKey().orElse(metadata.getName()).startsWith(OF_FORMAT);
  }

  @Override
  public Map<String, DataType> listReadableMetadata() {
    return BatchPlace.types();
  }

  @Override
  public void applyReadableMetadata(List<String> keys) {
    places = List.copyOf(keys);
  }

  @Override
  public DeserializationSchema<RowData> createRuntimeDecoder(
      DynamicTableSource.Context context, DataType physical, int[][] projections) {
    DataType asked = Projection.of(projections).project(physical);
    MessageColumns columns = MessageColumns.of(asked);
    Map<String, DataType> types = BatchPlace.types();
    DataType produced =
        DataTypes.ROW(
                Stream.concat(
                        DataType.getFields(asked).stream(),
                        places.stream().map(place -> metadata(place, types.get(place))))
                    .toArray(DataTypes.Field[]::new))
            .notNull();
    return new PacketBatchRows(
        columns,
        places.stream().map(BatchPlace::named).toList(),
        context.createTypeInformation(produced),
        getters(produced.getLogicalType().getChildren()),
        isJoined,
        ignoresErrors);
  }

  private static List<RowData.FieldGetter> getters(List<LogicalType> types) {
    return IntStream.range(0, types.size())
        .mapToObj(field -> RowData.createFieldGetter(types.get(field), field))
        .toList();
  }

  /** A column may have the same name. */
  private static DataTypes.Field metadata(String place, DataType type) {
    return DataTypes.FIELD("metadata." + place, type);
  }

  @Override
  public ChangelogMode getChangelogMode() {
    return ChangelogMode.insertOnly();
  }
}
