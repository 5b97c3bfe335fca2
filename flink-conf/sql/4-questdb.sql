-- SPDX-License-Identifier: Apache-2.0
-- The same results in QuestDB, where they are kept for longer and one row each also after failures: a table of QuestDB's for each kind, and
-- a view with the columns that results from Kafka have, and job. A query reads what is there when it begins; conditions are asked of QuestDB.
-- Ports, protocols and subtasks are texts here, and so are top_sources and top_destinations.
-- Names of a table's columns are sent to QuestDB as they stand: "limit" in double quotes, which is a word of SQL there, too, and time_ns as
-- what it is there. QuestDB gives a time itself in microseconds.

CREATE DATABASE questdb;

CREATE TABLE questdb.flow_record (
  `time` TIMESTAMP(6), `cast(time AS LONG)` BIGINT,
  rule STRING, job STRING, flow_id BIGINT,
  source_address STRING, destination_address STRING, source_port STRING, destination_port STRING, protocol STRING,
  last_ns BIGINT, packets BIGINT, `bytes` BIGINT, tcp_flags BIGINT
) WITH ('connector' = 'jdbc', 'url' = '${questdb}', 'username' = '${questdb_user}', 'password' = '${questdb_password}', 'table-name' = 'flow_record');

CREATE VIEW questdb.flows AS SELECT
  `time` AS rowtime, `cast(time AS LONG)` AS time_ns,
  rule, job, flow_id, source_address, destination_address, source_port, destination_port, protocol, last_ns, packets, `bytes` AS octets,
  tcp_flags
FROM questdb.flow_record;

CREATE TABLE questdb.histogram (
  `time` TIMESTAMP(6), `cast(time AS LONG)` BIGINT,
  rule STRING, job STRING, measure STRING, `per` STRING, prefix STRING, flow_id BIGINT,
  source_address STRING, destination_address STRING, source_port STRING, destination_port STRING, protocol STRING,
  unit STRING, begin_ns BIGINT, end_ns BIGINT, `count` BIGINT, `min` BIGINT, mean DOUBLE, p50 BIGINT, p90 BIGINT, p99 BIGINT, p99_9 BIGINT,
  `max` BIGINT, underflow BIGINT, overflow BIGINT, packets BIGINT, `first` BIGINT, earlier BIGINT, clock_steps BIGINT, untimed BIGINT,
  late BIGINT, histogram STRING
) WITH ('connector' = 'jdbc', 'url' = '${questdb}', 'username' = '${questdb_user}', 'password' = '${questdb_password}', 'table-name' = 'histogram');

CREATE VIEW questdb.histograms AS SELECT
  `time` AS rowtime, `cast(time AS LONG)` AS time_ns,
  rule, job, flow_id, measure, `per` AS per_what, prefix, source_address, destination_address, source_port, destination_port, protocol, unit,
  begin_ns, end_ns, `count` AS measured, `min` AS least, mean, p50, p90, p99, p99_9, `max` AS greatest, underflow, overflow, packets,
  `first` AS first_packets, earlier, clock_steps, untimed, late, histogram
FROM questdb.histogram;

CREATE TABLE questdb.alert (
  `time` TIMESTAMP(6), `cast(time AS LONG)` BIGINT,
  rule STRING, job STRING, detector STRING, subject STRING, flow_id BIGINT, state STRING, id STRING, address STRING, port BIGINT,
  protocol STRING, opened_ns BIGINT, window_begin_ns BIGINT, window_end_ns BIGINT, windows BIGINT, observed BIGINT, `"limit"` BIGINT,
  threshold BIGINT, threshold_prefix STRING, usual DOUBLE, completed_percent DOUBLE, peak BIGINT, packets_per_second DOUBLE, packets BIGINT,
  `bytes` BIGINT, distinct_sources BIGINT, distinct_ports BIGINT, distinct_destinations BIGINT, first_time_ns BIGINT, first_stream STRING,
  first_position BIGINT, last_time_ns BIGINT, last_stream STRING, last_position BIGINT, top_sources STRING, top_destinations STRING,
  explanation STRING
) WITH ('connector' = 'jdbc', 'url' = '${questdb}', 'username' = '${questdb_user}', 'password' = '${questdb_password}', 'table-name' = 'alert');

CREATE VIEW questdb.alerts AS SELECT
  `time` AS rowtime, `cast(time AS LONG)` AS time_ns,
  rule, job, flow_id, state, id, detector, subject, address, port, protocol, opened_ns, window_begin_ns, window_end_ns, windows, observed,
  `"limit"` AS alert_limit, threshold, threshold_prefix, usual, completed_percent, peak, packets_per_second, packets, `bytes` AS octets,
  distinct_sources, distinct_ports, distinct_destinations, first_time_ns, first_stream, first_position, last_time_ns, last_stream,
  last_position, top_sources, top_destinations, explanation
FROM questdb.alert;

CREATE TABLE questdb.syn_window (
  `time` TIMESTAMP(6), `cast(time AS LONG)` BIGINT,
  rule STRING, job STRING, detector STRING, destination STRING, flow_id BIGINT, window_begin_ns BIGINT, window_end_ns BIGINT, `count` BIGINT,
  threshold BIGINT
) WITH ('connector' = 'jdbc', 'url' = '${questdb}', 'username' = '${questdb_user}', 'password' = '${questdb_password}', 'table-name' = 'syn_window');

CREATE VIEW questdb.syn_windows AS SELECT
  `time` AS rowtime, `cast(time AS LONG)` AS time_ns,
  rule, job, flow_id, detector, destination, window_begin_ns, window_end_ns, `count` AS syns, threshold
FROM questdb.syn_window;

CREATE TABLE questdb.stage (
  `time` TIMESTAMP(6), `cast(time AS LONG)` BIGINT,
  rule STRING, job STRING, stage STRING, subtask STRING, taprings STRING, ring STRING, `group` STRING, since_ns BIGINT, `last` BIGINT,
  packets BIGINT, packets_in BIGINT, packets_dropped BIGINT, packets_left_out BIGINT, packets_kept BIGINT, packets_sampled BIGINT,
  packets_consumed BIGINT, packets_lost BIGINT, packets_lost_before_tap BIGINT, packets_packed BIGINT, results_sent BIGINT,
  rules_version BIGINT
) WITH ('connector' = 'jdbc', 'url' = '${questdb}', 'username' = '${questdb_user}', 'password' = '${questdb_password}', 'table-name' = 'stage');

CREATE VIEW questdb.stages AS SELECT
  `time` AS rowtime, `cast(time AS LONG)` AS time_ns,
  rule, job, stage, subtask, taprings, ring, `group` AS metric_group, since_ns, `last` AS last_report, packets, packets_in, packets_dropped,
  packets_left_out, packets_kept, packets_sampled, packets_consumed, packets_lost, packets_lost_before_tap, packets_packed, results_sent,
  rules_version
FROM questdb.stage;
