// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints.questdb;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The columns of Flowstone's own kinds, as {@code results.schema.json} has their fields: keys are
 * symbols. Of what stages count, which differs from stage to stage, those that {@code
 * flink-conf/sql} has as columns.
 *
 * <p>A table has them from the start, so that queries may name each before a result has it, and no
 * column comes while QuestDB is busy or is killed: a table into whose new column it was killed may
 * take nothing any more.
 */
final class KnownColumns {
  private static final String FLOW =
      ", source_address SYMBOL, destination_address SYMBOL, source_port SYMBOL, destination_port SYMBOL, protocol SYMBOL";

  private static final Map<String, String> BY_KIND =
      Map.of(
          "alert",
          ", job SYMBOL, detector SYMBOL, subject SYMBOL, flow_id LONG, state VARCHAR, id VARCHAR, address VARCHAR, port LONG, protocol VARCHAR"
              + ", opened_ns LONG, window_begin_ns LONG, window_end_ns LONG, windows LONG, observed LONG, limit LONG, threshold LONG"
              + ", threshold_prefix VARCHAR, usual DOUBLE, completed_percent DOUBLE, peak LONG, packets_per_second DOUBLE, packets LONG, bytes LONG"
              + ", distinct_sources LONG, distinct_ports LONG, distinct_destinations LONG, first_time_ns LONG, first_stream VARCHAR"
              + ", first_position LONG, last_time_ns LONG, last_stream VARCHAR, last_position LONG, top_sources VARCHAR, top_destinations VARCHAR"
              + ", explanation VARCHAR",
          "flow_record",
          ", job SYMBOL"
              + FLOW
              + ", flow_id LONG, last_ns LONG, packets LONG, bytes LONG, tcp_flags LONG",
          "histogram",
          ", job SYMBOL, measure SYMBOL, per SYMBOL, prefix SYMBOL"
              + FLOW
              + ", flow_id LONG, unit VARCHAR, begin_ns LONG, end_ns LONG, count LONG, min LONG, mean DOUBLE, p50 LONG, p90 LONG, p99 LONG"
              + ", p99_9 LONG, max LONG, underflow LONG, overflow LONG, packets LONG, first LONG, earlier LONG, clock_steps LONG, untimed LONG"
              + ", late LONG, histogram VARCHAR",
          "stage",
          ", job SYMBOL, stage SYMBOL, subtask SYMBOL, taprings SYMBOL, ring SYMBOL, group SYMBOL, since_ns LONG, last LONG"
              + ", packets LONG, packets_in LONG, packets_dropped LONG, packets_left_out LONG, packets_kept LONG, packets_sampled LONG"
              + ", packets_consumed LONG, packets_lost LONG, packets_lost_before_tap LONG, packets_packed LONG, results_sent LONG"
              + ", rules_version LONG",
          "syn_window",
          ", job SYMBOL, detector SYMBOL, destination SYMBOL, flow_id LONG, window_begin_ns LONG, window_end_ns LONG, count LONG, threshold LONG");

  private KnownColumns() {}

  /** Name and type, in their order; none for kinds of users' functions. */
  static Map<String, String> of(String kind) {
    Map<String, String> columns = new LinkedHashMap<>();
    for (String column : BY_KIND.getOrDefault(kind, "").split(", ", -1)) {
      if (!column.isEmpty()) {
        int end = column.indexOf(' ');
        columns.put(column.substring(0, end), column.substring(end + 1));
      }
    }
    return columns;
  }
}
