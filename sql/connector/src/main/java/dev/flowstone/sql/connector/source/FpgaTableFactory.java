// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.sql.connector.source;

import dev.flowstone.sql.connector.packets.TableColumns;
import java.util.List;
import java.util.Set;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.table.connector.source.DynamicTableSource;
import org.apache.flink.table.factories.DynamicTableSourceFactory;
import org.apache.flink.table.factories.FactoryUtil;
import org.apache.flink.table.types.DataType;

/** Tables of rings: {@code 'connector' = 'fpga'}. */
public final class FpgaTableFactory implements DynamicTableSourceFactory {
  private static final String IDENTIFIER = "fpga";

  private final SourceBlocks blocks;

  public FpgaTableFactory() {
    this(SourceBlocks.OF_RINGS);
  }

  /** Tables of the same columns and options, whose packets come from elsewhere. */
  public FpgaTableFactory(SourceBlocks blocks) {
    this.blocks = blocks;
  }

  @Override
  public String factoryIdentifier() {
    return IDENTIFIER;
  }

  @Override
  public Set<ConfigOption<?>> requiredOptions() {
    return Set.of(FpgaTableOptions.RINGS);
  }

  @Override
  public Set<ConfigOption<?>> optionalOptions() {
    return FpgaTableOptions.OPTIONAL;
  }

  @Override
  public DynamicTableSource createDynamicTableSource(Context context) {
    FactoryUtil.TableFactoryHelper helper = FactoryUtil.createTableFactoryHelper(this, context);
    helper.validate();
    ReadableConfig options = helper.getOptions();
    return FpgaTableOptions.countInterval(options)
        .map(interval -> source(context, options, new CountRows(interval)))
        .orElseGet(() -> source(context, options, new PacketRows()));
  }

  private DynamicTableSource source(Context context, ReadableConfig options, RowsOfBlocks rows) {
    DataType row = context.getPhysicalRowDataType();
    List<String> columns = TableColumns.require(rows.summary(), rows.columns(), row);
    return new RingTableSource(
        new RingPackets(FpgaTableOptions.source(options), blocks),
        rows,
        options.get(FpgaTableOptions.FILTER_HANDLING_POLICY),
        columns,
        row);
  }
}
