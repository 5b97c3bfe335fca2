-- SPDX-License-Identifier: Apache-2.0
-- What jobs wrote to Kafka as packets: kept as long as the topic keeps it, and committed packets alone. A row for each packet of a batch.
-- To the end of what is there now, and no further:  SELECT … FROM packet_batches /*+ OPTIONS('scan.bounded.mode' = 'latest-offset') */

CREATE TABLE packet_batches (
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
  ring INT NOT NULL METADATA FROM 'value.ring' VIRTUAL,
  ring_stream STRING NOT NULL METADATA FROM 'value.ring_stream' VIRTUAL,
  -- How many packets this one stands for: SUM(weight) estimates packets, SUM(weight * frame_length) bytes.
  weight BIGINT NOT NULL METADATA FROM 'value.weight' VIRTUAL,
  -- Place of the rule that chose it, from 1; 0: no rule did.
  rule INT NOT NULL METADATA FROM 'value.rule' VIRTUAL,
  lost_before BIGINT NOT NULL METADATA FROM 'value.lost_before' VIRTUAL,
  -- A batch has the packets of a moment of one ring; other rings' may come a little later.
  WATERMARK FOR rowtime AS rowtime - INTERVAL '5' SECOND
) WITH (
  'connector' = 'kafka',
  'properties.bootstrap.servers' = '${bootstrap_servers}',
  'properties.isolation.level' = 'read_committed',
  'topic' = '${topic}',
  'scan.startup.mode' = 'earliest-offset',
  'format' = 'packets'
);

-- What ./flowstone job sampling keeps, in a topic of its own.
CREATE TABLE samples WITH ('topic' = '${samples_topic}') LIKE packet_batches (OVERWRITING OPTIONS);
