// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import java.util.Map;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;

/**
 * Packets per second that one core asks in SQL, in windows of a second of the packets' own time: a
 * filter that is pushed down to the record beside the same on rows; all rows; and counts.
 */
final class SqlBenchmark implements MixBenchmark {
  private static final String PACKETS = packets("always");
  private static final String PACKETS_FILTERED_AS_ROWS = packets("never");

  private static final String PACKET_COUNTS =
      """
      CREATE TABLE packets (
        rowtime TIMESTAMP_LTZ(3) NOT NULL,
        packets BIGINT NOT NULL,
        octets BIGINT NOT NULL,
        protocol INT,
        WATERMARK FOR rowtime AS SOURCE_WATERMARK()
      ) WITH ('connector' = 'lapping-rings', 'rings' = '%s', 'count.interval' = '100 ms')
      """;

  private static final String SYNS = windows("COUNT(*)", " WHERE syn AND NOT ack", "");

  /** How many rows a window is made of is up to the traffic here, and what their states cost. */
  private static final String SYNS_BY_DESTINATION =
      windows("COUNT(*)", " WHERE syn AND NOT ack", ", destination_address");

  private static final String EVERY_ROW = windows("COUNT(*), SUM(frame_length)", "", "");

  private static final String COUNTS = windows("SUM(packets), SUM(octets)", "", "");

  private static final String COUNTS_BY_PROTOCOL =
      windows("SUM(packets), SUM(octets)", "", ", protocol");

  /** As flink-conf/sql has it, with the columns that are asked for here. */
  private static String packets(String filterPolicy) {
    return """
      CREATE TABLE packets (
        rowtime TIMESTAMP_LTZ(3) NOT NULL,
        destination_address STRING,
        syn BOOLEAN,
        ack BOOLEAN,
        frame_length INT NOT NULL,
        WATERMARK FOR rowtime AS SOURCE_WATERMARK()
      ) WITH ('connector' = 'lapping-rings', 'rings' = '%s', 'filter.handling.policy' = '"""
        + filterPolicy
        + "')";
  }

  private static String windows(String aggregates, String condition, String key) {
    return "WITH wanted AS (SELECT * FROM packets"
        + condition
        + ") SELECT window_start"
        + key
        + ", "
        + aggregates
        + " FROM TABLE(TUMBLE(TABLE wanted, DESCRIPTOR(rowtime), INTERVAL '1' SECOND))"
        + " GROUP BY window_start, window_end"
        + key;
  }

  @Override
  public String name() {
    return "sql";
  }

  @Override
  public String description() {
    return "packets/s per core asked in SQL for SYNs; baseline: the filter is not pushed down";
  }

  @Override
  public Steps steps(BenchScale scale) {
    Steps figure = Steps.of(scale, scale.beside());
    return scale.isQuick()
        ? figure
        : figure.plus(Steps.of(scale.beside(), scale, scale.beside(), scale.beside()));
  }

  @Override
  public BenchResult run(Mix mix, BenchScale scale) throws Exception {
    try (FilledRings rings = FilledRings.with(mix, scale.packets())) {
      FlinkRates pushed = asked(rings, "SYNs", PACKETS, SYNS, scale);
      FlinkRates onRows =
          asked(rings, "SYNs, filtered as rows", PACKETS_FILTERED_AS_ROWS, SYNS, scale.beside());
      Map<String, Object> further = pushed.toKeys("");
      if (!scale.isQuick()) {
        further.putAll(otherQueries(rings, scale));
      }
      further.put("distinct_packets", scale.packets());
      further.put("clock", "CPU time of the process");
      return new BenchResult(
          name(),
          "packets/s",
          BenchResult.Better.MORE,
          pushed.perCore(),
          onRows.perCore(),
          "the same query where Flink filters rows (filter.handling.policy = never)",
          further);
    }
  }

  private static Map<String, Object> otherQueries(FilledRings rings, BenchScale scale)
      throws Exception {
    FlinkRates byDestination =
        asked(rings, "SYNs by destination", PACKETS, SYNS_BY_DESTINATION, scale.beside());
    FlinkRates counts = asked(rings, "counts", PACKET_COUNTS, COUNTS, scale);
    FlinkRates byProtocol =
        asked(rings, "counts by protocol", PACKET_COUNTS, COUNTS_BY_PROTOCOL, scale.beside());
    FlinkRates everyRow = asked(rings, "every row", PACKETS, EVERY_ROW, scale.beside());
    Map<String, Object> keys = byDestination.toKeys("_by_destination");
    keys.put("packets_per_row_told_by_destination", byDestination.packetsPerResult());
    keys.putAll(counts.toKeys("_counts"));
    keys.putAll(byProtocol.toKeys("_counts_by_protocol"));
    keys.putAll(everyRow.toKeys("_unfiltered"));
    return keys;
  }

  private static FlinkRates asked(
      FilledRings rings, String what, String table, String query, BenchScale scale)
      throws Exception {
    Progress.step(what, scale);
    String ofRings = table.replace("%s", rings.path().toString());
    try (FlinkRun run = FlinkRun.startAsUsersDo(1, at -> ask(at, ofRings, query))) {
      return FlinkRates.of(run, scale);
    }
  }

  private static void ask(StreamExecutionEnvironment environment, String table, String query) {
    StreamTableEnvironment tables = StreamTableEnvironment.create(environment);
    tables.executeSql(table);
    CountedResults.end(tables.toDataStream(tables.sqlQuery(query)));
  }
}
