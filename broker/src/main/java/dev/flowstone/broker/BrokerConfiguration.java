// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.broker;

import dev.flowstone.processes.LoopbackPorts;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;

/**
 * Kafka's configuration for one node that is broker and controller at once, on loopback, with a
 * laptop's threads and memory.
 */
record BrokerConfiguration(
    BrokerStorage storage, int port, int controllerPort, OptionalLong retentionBytes) {
  static final int NODE_ID = 1;
  static final String CONTROLLER_LISTENER = "CONTROLLER";

  private static final String CLIENT_LISTENER = "CLIENT";
  private static final long MIN_SEGMENT_BYTES = 1 << 20;
  private static final long MAX_SEGMENT_BYTES = 1 << 28;

  Map<String, String> toKafka() {
    Map<String, String> kafka = new HashMap<>();
    putRolesAndListeners(kafka);
    putSingleNodeTopics(kafka);
    putSmallFootprint(kafka);
    retentionBytes.ifPresent(bytes -> putRetention(kafka, bytes));
    return kafka;
  }

  private void putRolesAndListeners(Map<String, String> kafka) {
    String client = CLIENT_LISTENER + "://" + LoopbackPorts.HOST + ":" + port;
    String controller = LoopbackPorts.HOST + ":" + controllerPort;
    kafka.put("process.roles", "broker,controller");
    kafka.put("node.id", Integer.toString(NODE_ID));
    kafka.put("controller.quorum.voters", NODE_ID + "@" + controller);
    kafka.put("listeners", client + "," + CONTROLLER_LISTENER + "://" + controller);
    kafka.put("advertised.listeners", client);
    kafka.put(
        "listener.security.protocol.map",
        CLIENT_LISTENER + ":PLAINTEXT," + CONTROLLER_LISTENER + ":PLAINTEXT");
    kafka.put("inter.broker.listener.name", CLIENT_LISTENER);
    kafka.put("controller.listener.names", CONTROLLER_LISTENER);
    kafka.put("log.dirs", storage.directory().toString());
    // A broker that was killed is let back in when its old session has ended: 3 s, not Kafka's 9.
    kafka.put("broker.session.timeout.ms", "3000");
    kafka.put("broker.heartbeat.interval.ms", "500");
  }

  private static void putSingleNodeTopics(Map<String, String> kafka) {
    // A topic's partitions are the rings: whoever writes a topic says how many, a typing error must
    // not create one.
    kafka.put("auto.create.topics.enable", "false");
    kafka.put("default.replication.factor", "1");
    kafka.put("offsets.topic.replication.factor", "1");
    kafka.put("offsets.topic.num.partitions", "1");
    kafka.put("transaction.state.log.replication.factor", "1");
    kafka.put("transaction.state.log.min.isr", "1");
    kafka.put("transaction.state.log.num.partitions", "1");
    kafka.put("share.coordinator.state.topic.replication.factor", "1");
    kafka.put("share.coordinator.state.topic.min.isr", "1");
    kafka.put("share.coordinator.state.topic.num.partitions", "1");
    kafka.put("group.initial.rebalance.delay.ms", "0");
    // Everything is kept unless a number of bytes is asked for: never by the age of a message.
    kafka.put("log.retention.ms", "-1");
    // A Flink job that sets no time of its own asks for one hour; Kafka's usual 15 minutes refuse
    // it.
    kafka.put("transaction.max.timeout.ms", "3600000");
    // Consumers wait for a transaction whose producer is gone: no longer than it asked for.
    kafka.put("transaction.abort.timed.out.transaction.cleanup.interval.ms", "1000");
  }

  private static void putSmallFootprint(Map<String, String> kafka) {
    kafka.put("num.network.threads", "2");
    kafka.put("num.io.threads", "2");
    kafka.put("background.threads", "2");
    kafka.put("num.recovery.threads.per.data.dir", "1");
    kafka.put("log.cleaner.threads", "1");
    // The cleaner takes this from the heap at start; it only ever compacts offsets and transaction
    // states here.
    kafka.put("log.cleaner.dedupe.buffer.size", "2097152");
  }

  /**
   * Kafka deletes whole segments and never the one it writes to: four segments keep a partition
   * between N and 5/4 N bytes.
   */
  private static void putRetention(Map<String, String> kafka, long bytes) {
    kafka.put("log.retention.bytes", Long.toString(bytes));
    kafka.put(
        "log.segment.bytes",
        Long.toString(Math.clamp(bytes / 4, MIN_SEGMENT_BYTES, MAX_SEGMENT_BYTES)));
    kafka.put("log.initial.task.delay.ms", "1000");
    kafka.put("log.retention.check.interval.ms", "5000");
    kafka.put("log.segment.delete.delay.ms", "1000");
  }
}
