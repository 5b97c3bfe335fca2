// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.sql.connector.source;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.sql.connector.counts.CountField;
import dev.flowstone.sql.connector.counts.PacketCountOperator;
import dev.flowstone.sql.connector.filter.PacketTest;
import dev.flowstone.sql.connector.packets.PacketColumn;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.DataType;

/**
 * Each row a number of packets that agree in the columns that were asked for, within an interval.
 */
record CountRows(Duration interval) implements RowsOfBlocks {
  private static final Map<String, CountField> TOLD =
      Map.of(
          "rowtime", CountField.Told.ROWTIME,
          "packets", CountField.Told.PACKETS,
          "octets", CountField.Told.BYTES,
          "lost_before", CountField.Told.LOST_BEFORE);

  @Override
  public Map<String, DataType> columns() {
    Map<String, DataType> columns = new LinkedHashMap<>();
    columns.put("rowtime", PacketColumn.ROWTIME.type());
    columns.put("packets", DataTypes.BIGINT().notNull());
    columns.put("octets", DataTypes.BIGINT().notNull());
    PacketColumn.types().forEach(columns::putIfAbsent);
    return columns;
  }

  @Override
  public Map<String, DataType> metadata() {
    return Map.of(BlockPlace.LOST_BEFORE.columnName(), BlockPlace.LOST_BEFORE.type());
  }

  /** A row's time is its interval's. */
  @Override
  public boolean isOfPackets(PacketColumn column) {
    return column != PacketColumn.ROWTIME;
  }

  @Override
  public OneInputStreamOperator<PacketBlock, RowData> operator(
      List<String> columns, List<String> metadata, PacketTest filter) {
    return new PacketCountOperator(
        Stream.concat(columns.stream(), metadata.stream()).map(CountRows::field).toList(),
        interval,
        filter);
  }

  private static CountField field(String name) {
    CountField told = TOLD.get(name);
    return told == null ? new CountField.Key(PacketColumn.of(name)) : told;
  }

  @Override
  public String summary() {
    return "counts of packets of rings, each " + interval.toMillis() + " ms";
  }
}
