// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.broker;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import kafka.server.metadata.KRaftMetadataCache;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.metadata.PartitionRecord;
import org.apache.kafka.common.metadata.TopicRecord;
import org.apache.kafka.common.network.ListenerName;
import org.apache.kafka.image.MetadataDelta;
import org.apache.kafka.image.MetadataProvenance;
import org.apache.kafka.server.common.KRaftVersion;
import org.junit.jupiter.api.Test;

/**
 * What decides which Kafka can be our broker. One that was killed finds its own partitions without
 * a leader when it comes back. A version that takes those for deleted does not write the markers of
 * transactions that it was killed in the middle of, calls them complete, and every consumer of what
 * is committed waits there for ever: 4.3.0 to 4.4.0 do (KAFKA-20734). It takes a race of some
 * milliseconds; two of some seventy kills under load ended so.
 */
class LeaderlessPartitionTest {
  private static final String TOPIC = "packets";
  private static final int NOBODY = -1;

  @Test
  void shouldBeWaitedFor() {
    MetadataDelta delta = new MetadataDelta.Builder().build();
    Uuid topic = Uuid.randomUuid();
    delta.replay(new TopicRecord().setName(TOPIC).setTopicId(topic));
    delta.replay(
        new PartitionRecord()
            .setTopicId(topic)
            .setPartitionId(0)
            .setReplicas(List.of(BrokerConfiguration.NODE_ID))
            .setLeader(NOBODY));
    KRaftMetadataCache cache =
        new KRaftMetadataCache(BrokerConfiguration.NODE_ID, () -> KRaftVersion.LATEST_PRODUCTION);
    cache.setImage(delta.apply(MetadataProvenance.EMPTY));

    ListenerName listener = new ListenerName("PLAINTEXT");
    assertThat(cache.getPartitionLeaderEndpoint(TOPIC, 0, listener)).contains(Node.noNode());
    assertThat(cache.getPartitionLeaderEndpoint("deleted", 0, listener)).isEmpty();
  }
}
