// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.sql.connector.source;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.sql.connector.filter.PacketTest;
import dev.flowstone.sql.connector.packets.PacketColumn;
import java.util.List;
import java.util.Map;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.DataType;

/** How packets become the rows of a table. */
interface RowsOfBlocks {
  /** What the table can have, with its type. */
  Map<String, DataType> columns();

  /** What it can have besides, of where packets were found. */
  Map<String, DataType> metadata();

  /** Whether a condition on this column holds for a row just when it holds for its packets. */
  boolean isOfPackets(PacketColumn column);

  /**
   * What makes rows, in the source's chain.
   *
   * @param columns of a row, in its order
   * @param metadata behind them
   * @param filter null: every packet
   */
  OneInputStreamOperator<PacketBlock, RowData> operator(
      List<String> columns, List<String> metadata, PacketTest filter);

  String summary();
}
