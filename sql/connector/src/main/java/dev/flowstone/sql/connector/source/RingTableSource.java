// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.sql.connector.source;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.sql.connector.filter.PacketTest;
import dev.flowstone.sql.connector.filter.PushedFilters;
import dev.flowstone.sql.connector.source.FpgaTableOptions.FilterPolicy;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.table.connector.ProviderContext;
import org.apache.flink.table.connector.source.DataStreamScanProvider;
import org.apache.flink.table.connector.source.DynamicTableSource;
import org.apache.flink.table.connector.source.ScanTableSource;
import org.apache.flink.table.connector.source.abilities.SupportsFilterPushDown;
import org.apache.flink.table.connector.source.abilities.SupportsProjectionPushDown;
import org.apache.flink.table.connector.source.abilities.SupportsReadingMetadata;
import org.apache.flink.table.connector.source.abilities.SupportsSourceWatermark;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.expressions.ResolvedExpression;
import org.apache.flink.table.types.DataType;

/** Rings as a table: of what the query does not ask for no row is made, and no column is read. */
final class RingTableSource
    implements ScanTableSource,
        SupportsProjectionPushDown,
        SupportsFilterPushDown,
        SupportsReadingMetadata,
        SupportsSourceWatermark {
  private final RingPackets packets;
  private final RowsOfBlocks rows;

  private final FilterPolicy filterPolicy;

  /** Of the row, whose metadata come after. */
  private List<String> columns;

  private List<String> metadata = List.of();
  private DataType rowType;

  /** Null: every packet. */
  private PacketTest filter;

  RingTableSource(
      RingPackets packets,
      RowsOfBlocks rows,
      FilterPolicy filterPolicy,
      List<String> columns,
      DataType rowType) {
    this.packets = packets;
    this.rows = rows;
    this.filterPolicy = filterPolicy;
    this.columns = List.copyOf(columns);
    this.rowType = rowType;
  }

  @Override
  public DynamicTableSource copy() {
    RingTableSource copy = new RingTableSource(packets, rows, filterPolicy, columns, rowType);
    copy.metadata = metadata;
    copy.filter = filter;
    return copy;
  }

  @Override
  public String asSummaryString() {
    return rows.summary();
  }

  @Override
  public ChangelogMode getChangelogMode() {
    return ChangelogMode.insertOnly();
  }

  @Override
  public boolean supportsNestedProjection() {
    return false;
  }

  @Override
  public void applyProjection(int[][] projected, DataType produced) {
    List<String> all = columns;
    columns = Arrays.stream(projected).map(path -> all.get(path[0])).toList();
    rowType = produced;
  }

  @Override
  public Result applyFilters(List<ResolvedExpression> filters) {
    if (filterPolicy == FilterPolicy.NEVER) {
      return Result.of(List.of(), filters);
    }
    PushedFilters pushed = PushedFilters.of(filters, rows::isOfPackets);
    filter = pushed.test().orElse(null);
    return Result.of(pushed.accepted(), pushed.remaining());
  }

  @Override
  public Map<String, DataType> listReadableMetadata() {
    return rows.metadata();
  }

  @Override
  public void applyReadableMetadata(List<String> keys, DataType produced) {
    metadata = List.copyOf(keys);
    rowType = produced;
  }

  /** The rings' own time, always. */
  @Override
  public void applySourceWatermark() {}

  @Override
  public ScanRuntimeProvider getScanRuntimeProvider(ScanContext context) {
    return new Provider(
        packets, rows.operator(columns, metadata, filter), context.createTypeInformation(rowType));
  }

  /** The source, and rows in its chain. */
  private record Provider(
      RingPackets packets,
      OneInputStreamOperator<PacketBlock, RowData> operator,
      TypeInformation<RowData> type)
      implements DataStreamScanProvider {
    @Override
    public boolean isBounded() {
      return packets.isBounded();
    }

    @Override
    public DataStream<RowData> produceDataStream(
        ProviderContext provider, StreamExecutionEnvironment environment) {
      SingleOutputStreamOperator<PacketBlock> blocks = packets.in(environment);
      provider.generateUid("rings").ifPresent(blocks::uid);
      SingleOutputStreamOperator<RowData> rows = blocks.transform("rows", type, operator);
      provider.generateUid("rows").ifPresent(rows::uid);
      return rows;
    }
  }
}
