// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.sql.connector.source;

import dev.flowstone.harness.ScratchFolder;
import dev.flowstone.raw.PacketSource;
import dev.flowstone.tap.RecordedRings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.table.api.config.ExecutionConfigOptions;
import org.apache.flink.types.Row;
import org.apache.flink.util.CloseableIterator;

/** Rings that a tap has filled and ended, as tables with every column there is. */
final class RingTables implements AutoCloseable {
  private static final long MINIBATCH_ROWS = 100_000;

  private final ScratchFolder folder;
  private final StreamTableEnvironment tables;

  RingTables(PacketSource source, long packets, Configuration configuration) throws Exception {
    folder = ScratchFolder.inMemory("sql-test");
    RecordedRings.fill(folder.path(), source, packets);
    StreamExecutionEnvironment environment =
        SharedCluster.environment(configuration, RecordedRings.RINGS);
    environment.getConfig().enableObjectReuse();
    tables = StreamTableEnvironment.create(environment);
    tables.executeSql("LOAD MODULE flowstone");
    create("packets", new PacketRows(), "");
    create("unfiltered", new PacketRows(), ", 'filter.handling.policy' = 'never'");
  }

  /** Settings by which a sum is told once, not for each packet. */
  static Configuration summedUp() {
    Configuration configuration = new Configuration();
    configuration.set(ExecutionConfigOptions.TABLE_EXEC_MINIBATCH_ENABLED, true);
    configuration.set(
        ExecutionConfigOptions.TABLE_EXEC_MINIBATCH_ALLOW_LATENCY, Duration.ofSeconds(10));
    configuration.set(ExecutionConfigOptions.TABLE_EXEC_MINIBATCH_SIZE, MINIBATCH_ROWS);
    return configuration;
  }

  /** Another table of the same packets. */
  void createCounts(String name, String interval) {
    create(name, new CountRows(Duration.ofMillis(1)), ", 'count.interval' = '" + interval + "'");
  }

  private void create(String name, RowsOfBlocks rows, String more) {
    List<String> columns = new ArrayList<>();
    rows.columns().forEach((column, type) -> columns.add(column + " " + type));
    rows.metadata().forEach((column, type) -> columns.add(column + " " + type + " METADATA"));
    columns.add("WATERMARK FOR rowtime AS SOURCE_WATERMARK()");
    tables.executeSql(
        """
        CREATE TABLE %s (%s)
        WITH ('connector' = 'fpga', 'rings' = '%s', 'end' = 'end_of_tap', 'start' = 'oldest', 'out-of-orderness' = '8 d'%s)
        """
            .formatted(name, String.join(", ", columns), folder.path(), more));
  }

  Path rings() {
    return folder.path();
  }

  StreamTableEnvironment environment() {
    return tables;
  }

  List<Row> ask(String query) throws Exception {
    List<Row> rows = new ArrayList<>();
    CloseableIterator<Row> found = tables.executeSql(query).collect();
    found.forEachRemaining(rows::add);
    found.close();
    return rows;
  }

  /** The first rows alone; then the query ends. */
  List<Row> askFirst(int count, String query) throws Exception {
    List<Row> rows = new ArrayList<>();
    CloseableIterator<Row> found = tables.executeSql(query).collect();
    while (rows.size() < count && found.hasNext()) {
      rows.add(found.next());
    }
    found.close();
    return rows;
  }

  /** Of a query whose one row is one number. */
  long askNumber(String query) throws Exception {
    List<Row> rows = ask(query);
    return rows.isEmpty() ? 0 : ((Number) rows.getLast().getField(0)).longValue();
  }

  @Override
  public void close() {
    folder.close();
  }
}
