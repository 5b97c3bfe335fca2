// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.endtoend;

import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;

/** Makes topics with a partition for each ring. */
final class Topics {
  private Topics() {}

  static void create(String bootstrapServers, String topic, int partitionCount) throws Exception {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrapServers))) {
      admin.createTopics(List.of(new NewTopic(topic, partitionCount, (short) 1))).all().get();
    }
  }
}
