// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.sql.connector.source;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.sql.connector.filter.PacketTest;
import dev.flowstone.sql.connector.packets.PacketColumn;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.DataType;

/** Each packet a row. */
final class PacketRows implements RowsOfBlocks {
  @Override
  public Map<String, DataType> columns() {
    return PacketColumn.types();
  }

  @Override
  public Map<String, DataType> metadata() {
    Map<String, DataType> places = new LinkedHashMap<>();
    for (BlockPlace place : BlockPlace.values()) {
      places.put(place.columnName(), place.type());
    }
    return places;
  }

  @Override
  public boolean isOfPackets(PacketColumn column) {
    return true;
  }

  @Override
  public OneInputStreamOperator<PacketBlock, RowData> operator(
      List<String> columns, List<String> metadata, PacketTest filter) {
    return new PacketRowOperator(
        columns.stream().map(PacketColumn::of).toList(),
        metadata.stream().map(name -> BlockPlace.valueOf(name.toUpperCase(Locale.ROOT))).toList(),
        filter);
  }

  @Override
  public String summary() {
    return "packets of rings";
  }
}
