// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.reference;

import java.util.Map;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.catalog.CatalogTable;
import org.apache.flink.table.catalog.Column;
import org.apache.flink.table.catalog.ObjectIdentifier;
import org.apache.flink.table.catalog.ResolvedCatalogTable;
import org.apache.flink.table.catalog.ResolvedSchema;
import org.apache.flink.table.factories.DynamicTableFactory;
import org.apache.flink.table.factories.FactoryUtil;

/** What a planner tells a factory of a table that has one column. */
final class PlannedTable {
  private PlannedTable() {}

  static DynamicTableFactory.Context with(Map<String, String> options) {
    ResolvedSchema schema =
        ResolvedSchema.of(Column.physical("time_ns", DataTypes.BIGINT().notNull()));
    CatalogTable table =
        CatalogTable.newBuilder()
            .schema(Schema.newBuilder().fromResolvedSchema(schema).build())
            .options(options)
            .build();
    return new FactoryUtil.DefaultDynamicTableContext(
        ObjectIdentifier.of("any", "any", "packets"),
        new ResolvedCatalogTable(table, schema),
        Map.of(),
        new Configuration(),
        PlannedTable.class.getClassLoader(),
        false);
  }
}
