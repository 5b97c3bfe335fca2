-- SPDX-License-Identifier: Apache-2.0
-- What functions found, as JSON in Kafka (docs/formats/results.schema.json): all kinds in one topic, and a view for each, whose columns need no quotes:
-- octets are bytes; least, greatest and measured of a histogram are min, max and count of its values.

CREATE TABLE results (
  kind STRING NOT NULL,
  time_ns BIGINT NOT NULL,
  rowtime AS TO_TIMESTAMP_LTZ(time_ns / 1000000, 3),
  rule STRING,
  flow_id BIGINT,
  job STRING,
  -- flow_record, histogram
  source_address STRING,
  destination_address STRING,
  source_port INT,
  destination_port INT,
  last_ns BIGINT,
  packets BIGINT,
  `bytes` BIGINT,
  tcp_flags INT,
  -- histogram
  measure STRING,
  `per` STRING,
  prefix STRING,
  unit STRING,
  begin_ns BIGINT,
  end_ns BIGINT,
  `count` BIGINT,
  `min` BIGINT,
  mean DOUBLE,
  p50 BIGINT,
  p90 BIGINT,
  p99 BIGINT,
  p99_9 BIGINT,
  `max` BIGINT,
  underflow BIGINT,
  overflow BIGINT,
  `first` BIGINT,
  earlier BIGINT,
  clock_steps BIGINT,
  untimed BIGINT,
  late BIGINT,
  histogram STRING,
  -- alert, syn_window
  detector STRING,
  state STRING,
  id STRING,
  subject STRING,
  address STRING,
  port INT,
  -- A number in flow_record and histogram, a name in alert: STRING takes both.
  protocol STRING,
  destination STRING,
  opened_ns BIGINT,
  window_begin_ns BIGINT,
  window_end_ns BIGINT,
  windows BIGINT,
  observed BIGINT,
  `limit` BIGINT,
  threshold BIGINT,
  threshold_prefix STRING,
  usual DOUBLE,
  completed_percent DOUBLE,
  peak BIGINT,
  packets_per_second DOUBLE,
  distinct_sources BIGINT,
  distinct_ports BIGINT,
  distinct_destinations BIGINT,
  first_time_ns BIGINT,
  first_stream STRING,
  first_position BIGINT,
  last_time_ns BIGINT,
  last_stream STRING,
  last_position BIGINT,
  top_sources ARRAY<ROW<address STRING, share DOUBLE>>,
  top_destinations ARRAY<ROW<address STRING, share DOUBLE>>,
  explanation STRING,
  -- stage: what it counts differs from stage to stage
  stage STRING,
  subtask INT,
  taprings STRING,
  ring STRING,
  `group` STRING,
  since_ns BIGINT,
  `last` INT,
  packets_in BIGINT,
  packets_dropped BIGINT,
  packets_left_out BIGINT,
  packets_kept BIGINT,
  packets_sampled BIGINT,
  packets_consumed BIGINT,
  packets_lost BIGINT,
  packets_lost_before_tap BIGINT,
  packets_packed BIGINT,
  results_sent BIGINT,
  rules_version BIGINT,
  WATERMARK FOR rowtime AS rowtime - INTERVAL '10' SECOND
) WITH (
  'connector' = 'kafka',
  'properties.bootstrap.servers' = '${bootstrap_servers}',
  'properties.isolation.level' = 'read_committed',
  ${kafka_options}
  'topic' = '${results_topic}',
  'scan.startup.mode' = 'earliest-offset',
  'scan.bounded.mode' = '${kafka_end}',
  'format' = 'json'
);

CREATE VIEW flows AS SELECT
  rowtime, time_ns, rule, flow_id, source_address, destination_address, source_port, destination_port, CAST(protocol AS INT) AS protocol,
  last_ns, packets, `bytes` AS octets, tcp_flags
FROM results WHERE kind = 'flow_record';

CREATE VIEW histograms AS SELECT
  rowtime, time_ns, rule, flow_id, measure, `per` AS per_what, prefix, source_address, destination_address, source_port, destination_port,
  CAST(protocol AS INT) AS protocol, unit, begin_ns, end_ns, `count` AS measured, `min` AS least, mean, p50, p90, p99, p99_9,
  `max` AS greatest, underflow, overflow, packets, `first` AS first_packets, earlier, clock_steps, untimed, late, histogram
FROM results WHERE kind = 'histogram';

CREATE VIEW alerts AS SELECT
  rowtime, time_ns, rule, flow_id, state, id, detector, subject, address, port, protocol, opened_ns, window_begin_ns, window_end_ns, windows,
  observed, `limit` AS alert_limit, threshold, threshold_prefix, usual, completed_percent, peak, packets_per_second, packets, `bytes` AS octets, distinct_sources,
  distinct_ports, distinct_destinations, first_time_ns, first_stream, first_position, last_time_ns, last_stream, last_position, top_sources,
  top_destinations, explanation
FROM results WHERE kind = 'alert';

CREATE VIEW syn_windows AS SELECT
  rowtime, time_ns, rule, flow_id, detector, destination, window_begin_ns, window_end_ns, `count` AS syns, threshold
FROM results WHERE kind = 'syn_window';

-- Each subtask's counters since its attempt began, at the same moments in all of them. last_report is 1 in what was told at the end of the
-- job's input, else NULL.
CREATE VIEW stages AS SELECT
  rowtime, time_ns, rule, job, stage, subtask, taprings, ring, `group` AS metric_group, since_ns, `last` AS last_report, packets, packets_in,
  packets_dropped, packets_left_out, packets_kept, packets_sampled, packets_consumed, packets_lost, packets_lost_before_tap,
  packets_packed, results_sent, rules_version
FROM results WHERE kind = 'stage';
