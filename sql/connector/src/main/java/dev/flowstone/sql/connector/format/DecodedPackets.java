// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.sql.connector.format;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.flink.api.common.serialization.DeserializationSchema;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.table.connector.Projection;
import org.apache.flink.table.connector.format.DecodingFormat;
import org.apache.flink.table.connector.format.ProjectableDecodingFormat;
import org.apache.flink.table.connector.source.DynamicTableSource;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.DataType;

/** Rows of the columns that a query asks for, and of what messages say of them. */
final class DecodedPackets
    implements ProjectableDecodingFormat<DeserializationSchema<RowData>>,
        DecodingFormat<DeserializationSchema<RowData>> {
  private final boolean ignoresErrors;
  private List<String> places = List.of();

  DecodedPackets(boolean ignoresErrors) {
    this.ignoresErrors = ignoresErrors;
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
        ignoresErrors);
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
