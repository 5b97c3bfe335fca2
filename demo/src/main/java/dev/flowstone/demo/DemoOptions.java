// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

import dev.flowstone.commandline.Allowed;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What the demo can be told. */
final class DemoOptions {
  static final String WEB_PORT = "--web-port";
  static final String KAFKA_PORT = "--kafka-port";
  static final String PAGE_PORT = "--page-port";
  static final String NO_QUESTDB = "--no-questdb";
  private static final String MOST_PORT = "65535";

  @Mixin TrafficOptions traffic = new TrafficOptions();

  @Option(
      names = "--rules",
      paramLabel = "FILE",
      description =
          "Rules for the packets; they may change while the demo runs. Default: rules of its own with"
              + " every function.")
  Optional<Path> rules = Optional.empty();

  @Option(
      names = NO_QUESTDB,
      description = "Does without QuestDB, which takes half a gibibyte; results go to Kafka alone.")
  boolean noQuestDb;

  @Option(
      names = "--report",
      paramLabel = "FILE",
      description = "Writes the final counters of every stage, ring, rule and function as JSON.")
  Optional<Path> report = Optional.empty();

  @Option(
      names = "--keep",
      description =
          "Leaves Kafka, QuestDB, Flink and the rings there when the traffic has ended, until Ctrl-C,"
              + " and says how to read there.")
  boolean keep;

  @Option(
      names = "--data",
      paramLabel = "DIR",
      description =
          "Folder on a disk for Kafka's messages and all other files; default: where Java puts"
              + " temporary files.")
  Optional<Path> data = Optional.empty();

  @Option(
      names = WEB_PORT,
      paramLabel = "PORT",
      defaultValue = "8081",
      description =
          "Port of Flink's web UI on localhost; 0: any free one. Default ${DEFAULT-VALUE}.")
  @Allowed(from = "0", to = MOST_PORT)
  int webPort = 8081;

  @Option(
      names = KAFKA_PORT,
      paramLabel = "PORT",
      defaultValue = "0",
      description = "Port of the Kafka broker on localhost; default: any free one.")
  @Allowed(from = "0", to = MOST_PORT)
  int kafkaPort;

  @Option(
      names = PAGE_PORT,
      paramLabel = "PORT",
      description =
          "Port of the demo's page on localhost; 0: any free one. Default: 8090, or any free one where"
              + " that is taken.")
  @Allowed(from = "0", to = MOST_PORT)
  Optional<Integer> pagePort = Optional.empty();
}
