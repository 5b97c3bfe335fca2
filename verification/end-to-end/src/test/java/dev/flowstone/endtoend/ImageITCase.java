// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.broker.process.BrokerOptions;
import dev.flowstone.broker.process.BrokerProcess;
import dev.flowstone.harness.KafkaTopic;
import dev.flowstone.harness.ScratchFolder;
import dev.flowstone.testbed.docs.ContainerFiles;
import dev.flowstone.testbed.flink.DeploymentCommands;
import dev.flowstone.testbed.flink.FlinkRest;
import dev.flowstone.testbed.flink.ImageFlink;
import dev.flowstone.testbed.flink.StockFlink;
import dev.flowstone.testbed.rings.ReplayedTap;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What is in the image, at work without a container: its Flink, its entry point, its settings. */
@Tag("slow")
@Timeout(300)
class ImageITCase {
  @TempDir private Path folder;

  @Test
  void shouldLoseNothingWhenATaskManagerIsKilledAndAnotherStarted() throws Exception {
    DeploymentCommands commands = new DeploymentCommands(folder);
    try (ScratchFolder rings = ScratchFolder.inMemory("image");
        BrokerProcess broker = BrokerProcess.start(BrokerOptions.in(folder.resolve("kafka")));
        ScratchFolder home = StockFlink.copy();
        ImageFlink flink = ImageFlink.start(home.path());
        FlinkRest rest = new FlinkRest(flink.web())) {
      KafkaTopic topic = new KafkaTopic(broker.bootstrapServers(), "image");
      topic.create(ReplayedTap.RING_COUNT);
      long offered;
      try (ReplayedTap tap = ReplayedTap.start(folder, rings.path())) {
        commands.submit(
            "platform",
            "--jobmanager",
            flink.address(),
            "--parallelism",
            "2",
            "--rings",
            rings.path().toString(),
            "--bootstrap-servers",
            topic.bootstrapServers(),
            "--topic",
            topic.name(),
            "--bounded");
        tap.awaitCheckpoint();
        flink.replaceTaskManager();
        tap.awaitCheckpoint();
        offered = tap.end();
        rest.awaitFinished(rest.onlyJob());
      }
      ReplayedTap.requireBalance(topic, offered);
    }
  }

  @Test
  void shouldRunWhateverElseItIsAsked() throws Exception {
    assertThat(said("help")).contains("standalone-job", "flowstone help");
    assertThat(said()).as("nothing").isEqualTo(said("help"));
    assertThat(said("echo", "a  b")).isEqualTo("a  b\n");
  }

  private String said(String... arguments) throws Exception {
    List<String> command =
        new ArrayList<>(
            List.of(ContainerFiles.FOLDER.resolve("image/docker-entrypoint.sh").toString()));
    command.addAll(List.of(arguments));
    Path output = folder.resolve("said");
    assertThat(
            new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start()
                .waitFor())
        .isZero();
    return Files.readString(output);
  }
}
