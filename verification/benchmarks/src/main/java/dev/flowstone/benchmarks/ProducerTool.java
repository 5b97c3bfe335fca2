// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import dev.flowstone.broker.process.BrokerProcess;
import dev.flowstone.harness.KafkaTopic;
import dev.flowstone.harness.ScratchFolder;
import dev.flowstone.jobs.endpoints.KafkaOptions;
import dev.flowstone.jobs.endpoints.KafkaSettings;
import dev.flowstone.processes.ChildOutput;
import dev.flowstone.processes.ChildProcess;
import dev.flowstone.processes.JavaProgram;
import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Kafka's own producer performance tool as a process, with the platform job's producer settings.
 */
final class ProducerTool {
  private static final String MAIN_CLASS = "org.apache.kafka.tools.ProducerPerformance";
  private static final Pattern RATE = Pattern.compile("([0-9.]+) records/sec");

  /** Records that the tool sends before those that count, a part of all. */
  private static final int WARM_UP_SHARE = 4;

  /** Different messages to choose from. */
  private static final int PAYLOADS = 64;

  private static final Duration LIMIT = Duration.ofMinutes(2);

  private ProducerTool() {}

  /** Bytes per second of messages of that size, after a warm-up, to the last acknowledgement. */
  static double bytesPerSecond(KafkaTopic topic, int messageBytes, long bytes)
      throws IOException, InterruptedException {
    try (ScratchFolder folder = ScratchFolder.onDisk("bench")) {
      Path payloads = Files.write(folder.path().resolve("payloads"), payloads(messageBytes));
      long records = Math.max(WARM_UP_SHARE, bytes / messageBytes);
      try (ChildProcess tool =
          ChildProcess.start(
              JavaProgram.of("producer tool", MAIN_CLASS, arguments(topic, payloads, records))
                  .withClassPath(classPath())
                  .withJvmOptions("-Xmx512m"),
              ChildOutput.gatheredIn(folder.path()))) {
        tool.requireSuccess(LIMIT);
        return recordsPerSecond(tool.output()) * messageBytes;
      }
    }
  }

  private static List<String> arguments(KafkaTopic topic, Path payloads, long records) {
    List<String> arguments = new ArrayList<>();
    Collections.addAll(arguments, "--topic", topic.name(), "--throughput", "-1");
    Collections.addAll(arguments, "--num-records", Long.toString(records));
    Collections.addAll(arguments, "--warmup-records", Long.toString(records / WARM_UP_SHARE));
    Collections.addAll(arguments, "--payload-file", payloads.toString());
    Collections.addAll(arguments, "--producer-props", "acks=all");
    arguments.add("bootstrap.servers=" + topic.bootstrapServers());
    KafkaSettings.producer(new KafkaOptions())
        .forEach((name, value) -> arguments.add(name + "=" + value));
    return arguments;
  }

  /** Lines of printable characters: from a file the tool need not make up each message itself. */
  private static byte[] payloads(int messageBytes) {
    Random random = new Random(1);
    byte[] lines = new byte[PAYLOADS * (messageBytes + 1)];
    for (int i = 0; i < lines.length; i++) {
      lines[i] = (byte) ((i + 1) % (messageBytes + 1) == 0 ? '\n' : 'A' + random.nextInt(26));
    }
    return lines;
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
