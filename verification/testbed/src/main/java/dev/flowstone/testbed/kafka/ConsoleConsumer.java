// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.testbed.kafka;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.flowstone.broker.process.BrokerProcess;
import dev.flowstone.format.kafka.PacketJsonFormatter;
import dev.flowstone.harness.KafkaTopic;
import dev.flowstone.model.PacketRecord;
import dev.flowstone.processes.ChildOutput;
import dev.flowstone.processes.ChildProcess;
import dev.flowstone.processes.JavaProgram;
import dev.flowstone.testbed.programs.Programs;
import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Kafka's own console consumer, with its jars and the two of ours that its reader is told of. */
public final class ConsoleConsumer {
  private static final Duration LIMIT = Duration.ofMinutes(1);
  private static final Class<?> TOOL = org.apache.kafka.tools.consumer.ConsoleConsumer.class;

  private ConsoleConsumer() {}

  /** The packets of so many messages of a topic, from the first on. */
  public static List<JsonNode> print(Path folder, KafkaTopic topic, int messages)
      throws IOException, InterruptedException, URISyntaxException {
    List<String> arguments =
        List.of(
            "--bootstrap-server",
            topic.bootstrapServers(),
            "--topic",
            topic.name(),
            "--from-beginning",
            "--isolation-level",
            "read_committed",
            "--max-messages",
            Integer.toString(messages),
            "--formatter",
            PacketJsonFormatter.class.getName());
    try (ChildProcess console =
        ChildProcess.start(
            JavaProgram.of("console", TOOL.getName(), arguments)
                .withClassPath(classPath())
                .withJvmOptions("-Xmx256m"),
            ChildOutput.gatheredIn(folder))) {
      Programs.requireSuccess(console, LIMIT);
      return packets(console.output());
    }
  }

  private static String classPath() throws IOException, URISyntaxException {
    Path brokerJars = placeOf(BrokerProcess.class).resolveSibling("runtime.classpath");
    return String.join(
        File.pathSeparator,
        placeOf(PacketJsonFormatter.class).toString(),
        placeOf(PacketRecord.class).toString(),
        placeOf(TOOL).toString(),
        Files.readString(brokerJars).strip());
  }

  private static Path placeOf(Class<?> type) throws URISyntaxException {
    return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
  }

  /** One from each line of JSON. */
  public static List<JsonNode> packets(String lines) throws IOException {
    List<JsonNode> packets = new ArrayList<>();
    for (String line : lines.lines().toList()) {
      packets.add(new ObjectMapper().readTree(line));
    }
    return packets;
  }
}
