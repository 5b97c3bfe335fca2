// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.reference;

import dev.flowstone.sql.connector.format.PacketsFormatFactory;
import dev.flowstone.sql.connector.packets.PacketColumn;
import java.util.Map;
import org.apache.flink.api.common.serialization.DeserializationSchema;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.connector.source.DynamicTableSource;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.DataType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.util.SimpleUserCodeClassLoader;
import org.apache.flink.util.UserCodeClassLoader;

/**
 * A topic as a table: its format is opened as Kafka's source does it, without the planner that
 * would be needed for a query.
 */
final class TableMessages {
  /** Where Kafka's source has the metrics of its format. */
  private static final String SCOPE = "taskmanager_job_task_operator_deserializer";

  private TableMessages() {}

  static void open() throws Exception {
    DataType row =
        DataTypes.ROW(
            DataTypes.FIELD(PacketColumn.TIME_NS.columnName(), PacketColumn.TIME_NS.type()));
    new PacketsFormatFactory()
        .createDecodingFormat(PlannedTable.with(Map.of()), new Configuration())
        .createRuntimeDecoder(new Planned(), row)
        .open(new Opening());
  }

  private static final class Opening implements DeserializationSchema.InitializationContext {
    @Override
    public MetricGroup getMetricGroup() {
      return new UnregisteredMetricsGroup() {
        @Override
        public Counter counter(String name) {
          Counter counter = super.counter(name);
          SeenMetrics.note(counter, name, SCOPE, "Kafka source of a table");
          return counter;
        }
      };
    }

    @Override
    public UserCodeClassLoader getUserCodeClassLoader() {
      return SimpleUserCodeClassLoader.create(TableMessages.class.getClassLoader());
    }
  }

  /** What a planner tells a format. */
  private static final class Planned implements DynamicTableSource.Context {
    @Override
    @SuppressWarnings("unchecked") // rows are all that there is
    public <T> TypeInformation<T> createTypeInformation(DataType type) {
      return (TypeInformation<T>) TypeInformation.of(RowData.class);
    }

    @Override
    @SuppressWarnings("unchecked")
    public <T> TypeInformation<T> createTypeInformation(LogicalType type) {
      return (TypeInformation<T>) TypeInformation.of(RowData.class);
    }

    @Override
    public DynamicTableSource.DataStructureConverter createDataStructureConverter(DataType type) {
      throw new UnsupportedOperationException("rows are not converted");
    }
  }
}
