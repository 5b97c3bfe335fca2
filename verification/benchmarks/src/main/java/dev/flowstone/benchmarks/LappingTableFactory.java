// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import dev.flowstone.sql.connector.source.FpgaTableFactory;
import java.util.Set;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.table.connector.source.DynamicTableSource;
import org.apache.flink.table.factories.DynamicTableSourceFactory;

/** The tables of rings as they are, but for the rings, which are read lap after lap. */
public final class LappingTableFactory implements DynamicTableSourceFactory {
  private static final String IDENTIFIER = "lapping-rings";

  private final FpgaTableFactory tables =
      new FpgaTableFactory(
          (environment, source) -> CountedBlocks.of(environment, new LappingSource(source)));

  @Override
  public String factoryIdentifier() {
    return IDENTIFIER;
  }

  @Override
  public Set<ConfigOption<?>> requiredOptions() {
    return tables.requiredOptions();
  }

  @Override
  public Set<ConfigOption<?>> optionalOptions() {
    return tables.optionalOptions();
  }

  @Override
  public DynamicTableSource createDynamicTableSource(Context context) {
    return tables.createDynamicTableSource(context);
  }
}
