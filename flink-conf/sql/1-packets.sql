-- SPDX-License-Identifier: Apache-2.0
-- What passes now, straight from the rings of taps. Taps do not wait for these tables: what a query is too slow for is lost to it and told
-- in lost_before. Columns and conditions are pushed down to the packet's record, so name the columns that you want, and filter early.

-- A row for each packet. NULL: the packet has no such thing.
CREATE TABLE packets (
  rowtime TIMESTAMP_LTZ(3) NOT NULL,
  time_ns BIGINT NOT NULL,
  ip INT,
  source_address STRING,
  destination_address STRING,
  source_port INT,
  destination_port INT,
  protocol INT,
  tcp_flags INT,
  fin BOOLEAN,
  syn BOOLEAN,
  rst BOOLEAN,
  psh BOOLEAN,
  ack BOOLEAN,
  tcp_sequence BIGINT,
  tcp_acknowledgement BIGINT,
  tcp_window INT,
  frame_length INT NOT NULL,
  payload_length INT,
  type_of_service INT,
  time_to_live INT,
  later_fragment BOOLEAN NOT NULL,
  encapsulated BOOLEAN,
  ether_type INT,
  ingress_port INT NOT NULL,
  traffic_class INT NOT NULL,
  flow_hash BIGINT NOT NULL,
  ring INT NOT NULL METADATA,
  ring_stream STRING NOT NULL METADATA,
  ring_position BIGINT NOT NULL METADATA,
  lost_before BIGINT NOT NULL METADATA,
  WATERMARK FOR rowtime AS SOURCE_WATERMARK()
) WITH (
  'connector' = 'fpga',
  'rings' = '${rings}',
  'start' = '${rings_start}',
  'end' = '${rings_end}'
);

-- The same, counted before it becomes rows, seven to twenty times as fast: a row for each combination of the columns that a query asks for, in each
-- tenth of a second. A combination may have several rows: add them up. Sequence numbers and times, of which nearly each packet has its own, are left to packets.
CREATE TABLE packet_counts (
  rowtime TIMESTAMP_LTZ(3) NOT NULL,
  packets BIGINT NOT NULL,
  octets BIGINT NOT NULL,
  ip INT,
  source_address STRING,
  destination_address STRING,
  source_port INT,
  destination_port INT,
  protocol INT,
  tcp_flags INT,
  fin BOOLEAN,
  syn BOOLEAN,
  rst BOOLEAN,
  psh BOOLEAN,
  ack BOOLEAN,
  tcp_window INT,
  frame_length INT NOT NULL,
  payload_length INT,
  type_of_service INT,
  time_to_live INT,
  later_fragment BOOLEAN NOT NULL,
  encapsulated BOOLEAN,
  ether_type INT,
  ingress_port INT NOT NULL,
  traffic_class INT NOT NULL,
  flow_hash BIGINT NOT NULL,
  lost_before BIGINT NOT NULL METADATA,
  WATERMARK FOR rowtime AS SOURCE_WATERMARK()
) WITH (
  'connector' = 'fpga',
  'rings' = '${rings}',
  'start' = '${rings_start}',
  'end' = '${rings_end}',
  'count.interval' = '100 ms'
);
