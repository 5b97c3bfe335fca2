-- SPDX-License-Identifier: Apache-2.0
-- What jobs wrote to Kafka as packets: kept as long as the topic keeps it, and committed packets alone. A row for each packet of a batch,
-- with the columns of packets.
-- ./flowstone sql --so-far: to the end of what is there now, and no further.

CREATE TABLE packet_batches (
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
  ${kafka_options}
  'topic' = '${topic}',
  'scan.startup.mode' = 'earliest-offset',
  'scan.bounded.mode' = '${kafka_end}',
  'format' = 'packets'
) LIKE packets (EXCLUDING METADATA EXCLUDING OPTIONS EXCLUDING WATERMARKS);

-- What ./flowstone job sampling keeps, in a topic of its own.
CREATE TABLE samples WITH ('topic' = '${samples_topic}') LIKE packet_batches (OVERWRITING OPTIONS);
