// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.sql.factories;

import org.apache.flink.table.connector.source.DynamicTableSource;
import org.apache.flink.table.factories.DynamicTableSourceFactory;

/** {@code 'connector' = 'fpga'}. */
public final class RingTables extends Behind<DynamicTableSourceFactory>
    implements DynamicTableSourceFactory {
  public RingTables() {
    super(
        "fpga",
        "dev.flowstone.sql.connector.source.FpgaTableFactory",
        DynamicTableSourceFactory.class);
  }

  @Override
  public DynamicTableSource createDynamicTableSource(Context context) {
    return it().createDynamicTableSource(context);
  }
}
