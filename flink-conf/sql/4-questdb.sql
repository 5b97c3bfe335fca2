-- SPDX-License-Identifier: Apache-2.0
-- The same results in QuestDB, where they are kept for longer and one row each also after failures. A query reads what is there when it
-- begins; conditions are asked of QuestDB.

CREATE DATABASE questdb;

CREATE TABLE questdb.flows (
  `timestamp` TIMESTAMP(6),
  rule STRING, job STRING, flow_id BIGINT,
  source_address STRING, destination_address STRING, source_port STRING, destination_port STRING, protocol STRING,
  last_ns BIGINT, packets BIGINT, `bytes` BIGINT, tcp_flags BIGINT
) WITH ('connector' = 'jdbc', 'url' = '${questdb}', 'username' = 'admin', 'password' = 'quest', 'table-name' = 'flow_record');

CREATE TABLE questdb.histograms (
  `timestamp` TIMESTAMP(6),
  rule STRING, job STRING, measure STRING, `per` STRING, prefix STRING, flow_id BIGINT,
  source_address STRING, destination_address STRING, source_port STRING, destination_port STRING, protocol STRING,
  unit STRING, begin_ns BIGINT, end_ns BIGINT, `count` BIGINT, `min` BIGINT, mean DOUBLE, p50 BIGINT, p90 BIGINT, p99 BIGINT, p99_9 BIGINT,
  `max` BIGINT, underflow BIGINT, overflow BIGINT, packets BIGINT, `first` BIGINT, earlier BIGINT, clock_steps BIGINT, untimed BIGINT,
  late BIGINT, histogram STRING
) WITH ('connector' = 'jdbc', 'url' = '${questdb}', 'username' = 'admin', 'password' = 'quest', 'table-name' = 'histogram');

CREATE TABLE questdb.alerts (
  `timestamp` TIMESTAMP(6),
  rule STRING, job STRING, detector STRING, subject STRING, flow_id BIGINT, state STRING, id STRING, address STRING, port BIGINT,
  protocol STRING, opened_ns BIGINT, window_begin_ns BIGINT, window_end_ns BIGINT, windows BIGINT, observed BIGINT, `limit` BIGINT,
  threshold BIGINT, threshold_prefix STRING, usual DOUBLE, completed_percent DOUBLE, peak BIGINT, packets_per_second DOUBLE, packets BIGINT,
  `bytes` BIGINT, distinct_sources BIGINT, distinct_ports BIGINT, distinct_destinations BIGINT, first_time_ns BIGINT, first_stream STRING,
  first_position BIGINT, last_time_ns BIGINT, last_stream STRING, last_position BIGINT, top_sources STRING, top_destinations STRING,
  explanation STRING
) WITH ('connector' = 'jdbc', 'url' = '${questdb}', 'username' = 'admin', 'password' = 'quest', 'table-name' = 'alert');

CREATE TABLE questdb.stages (
  `timestamp` TIMESTAMP(6),
  rule STRING, job STRING, stage STRING, subtask STRING, taprings STRING, ring STRING, `group` STRING, since_ns BIGINT,
  packets BIGINT, packets_in BIGINT, packets_consumed BIGINT, packets_lost BIGINT
) WITH ('connector' = 'jdbc', 'url' = '${questdb}', 'username' = 'admin', 'password' = 'quest', 'table-name' = 'stage');
