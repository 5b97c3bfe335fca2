// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.flowstone.broker.process.BrokerOptions;
import dev.flowstone.broker.process.BrokerProcess;
import dev.flowstone.harness.KafkaTopic;
import dev.flowstone.harness.ScratchFolder;
import dev.flowstone.testbed.faults.KilledTaskManager;
import dev.flowstone.testbed.flink.DeploymentCommands;
import dev.flowstone.testbed.flink.FlinkRest;
import dev.flowstone.testbed.flink.StockFlink;
import dev.flowstone.testbed.rings.ReplayedTap;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The job's jar on a Flink that nobody here put together: the distribution that the Flink project
 * has on PyPI, which is downloaded once, 331 MB. It gets the jar as its own web UI sends one.
 */
@Tag("slow")
class StockFlinkITCase {
  @TempDir private Path folder;

  @Test
  void shouldCarryACaptureToKafkaWithTheJarAlone() throws Exception {
    Optional<Path> flink = StockFlink.find();
    assumeTrue(flink.isPresent(), "no stock Flink: it could not be downloaded from PyPI");
    DeploymentCommands commands = new DeploymentCommands(folder, "FLINK_HOME=" + flink.get());
    try (ScratchFolder rings = ScratchFolder.inMemory("stock-flink");
        BrokerProcess broker = BrokerProcess.start(BrokerOptions.in(folder.resolve("kafka")))) {
      KafkaTopic topic = new KafkaTopic(broker.bootstrapServers(), "stock");
      topic.create(ReplayedTap.RING_COUNT);
      new KilledTaskManager(commands, folder, rings.path(), topic)
          .survive(web -> upload(web, rings.path(), topic));
    }
  }

  private static String upload(String web, Path rings, KafkaTopic topic) throws Exception {
    List<String> arguments =
        List.of(
            "--rings",
            rings.toString(),
            "--bootstrap-servers",
            topic.bootstrapServers(),
            "--topic",
            topic.name(),
            "--bounded");
    try (FlinkRest rest = new FlinkRest(web)) {
      assertThat(rest.get("/jobmanager/environment").path("classpath").toString())
          .contains(StockFlink.find().orElseThrow() + "/lib/")
          .doesNotContain("/.m2/");
      String jar = rest.upload(ClusterJarITCase.jar("platform"));
      return rest.run(
          jar,
          new ObjectMapper()
              .writeValueAsString(Map.of("parallelism", 2, "programArgsList", arguments)));
    }
  }
}
