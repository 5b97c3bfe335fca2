// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.flowstone.broker.process.BrokerOptions;
import dev.flowstone.broker.process.BrokerProcess;
import dev.flowstone.harness.KafkaTopic;
import dev.flowstone.harness.ScratchFolder;
import dev.flowstone.processes.ChildProcess;
import dev.flowstone.testbed.faults.KilledJob;
import dev.flowstone.testbed.programs.Programs;
import dev.flowstone.testbed.programs.ProjectRoot;
import dev.flowstone.testbed.programs.Python;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Full messages of the platform job, from a broker to the groups of the Python package: {@code
 * notebooks/tests/test_speed.py} has the floor, in packets per second of its own processor time.
 */
@Tag("undisturbed")
@Tag("slow")
class PythonSpeedITCase {
  private static final String TOPIC = "packets";
  private static final int RING_COUNT = 2;

  /** So many that the messages at the rings' ends, which are not full, weigh little. */
  private static final int PACKETS = 2_000_000;

  private static final Duration LIMIT = Duration.ofMinutes(2);

  @TempDir private Path folder;

  @Test
  @Timeout(900)
  void shouldReadAndGroupFullMessages() throws Exception {
    assumeTrue(Python.isSetUp(), "NOT CHECKED: no build/venv, which ./flowstone test makes");
    try (ScratchFolder rings = ScratchFolder.inMemory("python-speed");
        BrokerProcess broker = BrokerProcess.start(BrokerOptions.in(folder.resolve("kafka")))) {
      fill(rings.path());
      KafkaTopic topic = new KafkaTopic(broker.bootstrapServers(), TOPIC);
      topic.create(RING_COUNT);
      try (KilledJob job = new KilledJob(folder, rings.path(), topic)) {
        job.start();
        job.finish(LIMIT);
      }
      String said = measure(broker.bootstrapServers() + "/" + TOPIC);
      System.out.println("PythonSpeedITCase: " + said.strip());
      assertThat(said).as("neither skipped nor left out").contains("1 passed");
    }
  }

  /** The rings have room for all of it, and keep it when the tap is gone. */
  private void fill(Path rings) throws Exception {
    try (ChildProcess tap =
        Programs.run(
            folder,
            "dev.flowstone.tap.command.TapCommand",
            resampling(
                "--unlimited",
                "--packets",
                "" + PACKETS,
                "--rings",
                rings.toString(),
                "--ring-count",
                "" + RING_COUNT,
                "--ring-bytes",
                "128m"))) {
      Programs.requireSuccess(tap, LIMIT);
    }
  }

  /**
   * Of the collection's mixed traffic, or of the project's own captures, which have fewer flows.
   */
  private static String[] resampling(String... options) throws IOException {
    Path mixed = ProjectRoot.captures().resolve("mix");
    Path captures =
        Files.isDirectory(mixed) ? mixed : ProjectRoot.find().resolve("traffic/captures");
    try (Stream<Path> files = Files.list(captures)) {
      Stream<String> templates =
          files.map(Path::toString).filter(file -> file.endsWith(".pcap")).sorted();
      return Stream.of(Stream.of("resample"), templates, Stream.of(options))
          .flatMap(each -> each)
          .toArray(String[]::new);
    }
  }

  private String measure(String topic) throws Exception {
    return Python.runHere(
        folder,
        Map.of("FLOWSTONE_TOPIC", topic),
        List.of("-m", "pytest", "-q", "-s", "-m", "slow", "notebooks/tests/test_speed.py"));
  }
}
