// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.jobs.entry.JobStart;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The time limit is shorter than the minute for which Kafka's own client would wait. */
@Timeout(40)
class ReachedBrokersTest {
  private static final Duration NO_WAIT = Duration.ofMillis(1);

  private final KafkaOptions options = new KafkaOptions();
  private final List<String> said = new ArrayList<>();

  private void reach(String servers) throws InterruptedException {
    options.bootstrapServers = servers;
    JobStart start = new JobStart(1, 128, said::add);
    ReachedBrokers.reach(options, start, NO_WAIT, NO_WAIT).close();
  }

  @Test
  void shouldSayWhatIsWrongWithAnAddress() {
    assertThatThrownBy(() -> reach("kafka.invalid:9092"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("--bootstrap-servers: kafka.invalid:9092: host not known");
    for (String address : List.of("foo", "foo:", "foo:70000", ":9092", "a b:1", "")) {
      assertThatThrownBy(() -> reach("localhost:9092," + address))
          .as(address)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("--bootstrap-servers: " + address + ": not HOST:PORT");
    }
  }

  @Test
  void shouldGiveTheReasonWhyThereIsNoClientButNoSecret() {
    options.property.put("security.protocol", "SSL");
    options.property.put("ssl.keystore.location", "/nope.jks");
    options.property.put("ssl.keystore.password", "hunter2");
    assertThatThrownBy(() -> reach("localhost:1"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("/nope.jks")
        .hasMessageNotContaining("hunter2");
    options.property.put("sasl.mechanism", "PLAIN");
    options.property.put("security.protocol", "SASL_PLAINTEXT");
    options.property.put("sasl.jaas.config", "a.Module hunter3 user=x;");
    assertThatThrownBy(() -> reach("localhost:1")).hasMessageNotContaining("hunter3");
  }

  /** It takes the connection and never answers, as a broker that hangs. */
  @Test
  void shouldSayForWhomItWaitsAndWaitNoLongerThanItsLimit() throws Exception {
    try (ServerSocket mute = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      String address = "127.0.0.1:" + mute.getLocalPort();
      assertThatThrownBy(() -> reach(address))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("no Kafka broker answers at " + address);
      assertThat(said).containsExactly("waiting for Kafka at " + address);
    }
  }
}
