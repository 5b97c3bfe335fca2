// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import dev.flowstone.broker.process.BrokerProcess;
import dev.flowstone.harness.KafkaTopic;
import dev.flowstone.harness.ScratchFolder;
import dev.flowstone.processes.ChildOutput;
import dev.flowstone.processes.ChildProcess;
import dev.flowstone.processes.JavaProgram;
import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Kafka's own producer performance tool as a process, with the platform job's producer settings.
 */
final class ProducerTool {
  private static final String MAIN_CLASS = "org.apache.kafka.tools.ProducerPerformance";
  private static final Pattern RATE = Pattern.compile("([0-9.]+) records/sec");
  private static final Duration LIMIT = Duration.ofMinutes(2);

  private ProducerTool() {}

  /** Bytes per second of messages of that size, from start to last acknowledgement. */
  static double bytesPerSecond(KafkaTopic topic, int messageBytes, long bytes)
      throws IOException, InterruptedException {
    Progress.say("Kafka's producer tool");
    List<String> arguments =
        List.of(
            "--topic",
            topic.name(),
            "--num-records",
            Long.toString(Math.max(1, bytes / messageBytes)),
            "--record-size",
            Integer.toString(messageBytes),
            "--throughput",
            "-1",
            "--producer-props",
            "bootstrap.servers=" + topic.bootstrapServers(),
            "acks=all",
            "compression.type=none",
            "batch.size=" + (1 << 20),
            "buffer.memory=" + (64 << 20),
            "max.request.size=" + (8 << 20),
            "linger.ms=5");
    try (ScratchFolder folder = ScratchFolder.onDisk("bench");
        ChildProcess tool =
            ChildProcess.start(
                JavaProgram.of("producer tool", MAIN_CLASS, arguments)
                    .withClassPath(classPath())
                    .withJvmOptions("-Xmx512m"),
                ChildOutput.gatheredIn(folder.path()))) {
      tool.requireSuccess(LIMIT);
      return recordsPerSecond(tool.output()) * messageBytes;
    }
  }

  /** Of the last line, which speaks of the whole run. */
  private static double recordsPerSecond(String said) {
    String summary = said.lines().filter(line -> line.contains("99.9th")).findFirst().orElse("");
    Matcher rate = RATE.matcher(summary);
    if (!rate.find()) {
      throw new IllegalStateException("Kafka's producer tool said no rate: " + said);
    }
    return Double.parseDouble(rate.group(1));
  }

  /** The broker's jars, whose release the tool is of, and the tool's own two. */
  private static String classPath() throws IOException {
    String own =
        Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
            .filter(jar -> jar.contains("kafka-tools-") || jar.contains("argparse4j-"))
            .collect(Collectors.joining(File.pathSeparator));
    return own + File.pathSeparator + Files.readString(brokerJars()).strip();
  }

  private static Path brokerJars() {
    try {
      return Path.of(
              BrokerProcess.class.getProtectionDomain().getCodeSource().getLocation().toURI())
          .resolveSibling("runtime.classpath");
    } catch (URISyntaxException e) {
      throw new IllegalStateException("the broker's classes are not on this machine", e);
    }
  }
}
