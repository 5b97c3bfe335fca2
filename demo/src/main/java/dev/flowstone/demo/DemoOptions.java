// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What the demo can be told. */
final class DemoOptions {
  @Mixin TrafficOptions traffic = new TrafficOptions();

  @Option(
      names = "--report",
      paramLabel = "FILE",
      description = "Writes the final counters of every stage and ring as JSON.")
  Optional<Path> report = Optional.empty();

  @Option(
      names = "--web-port",
      paramLabel = "PORT",
      defaultValue = "8081",
      description =
          "Port of Flink's web UI on localhost; 0: any free one. Default ${DEFAULT-VALUE}.")
  int webPort = 8081;

  @Option(
      names = "--kafka-port",
      paramLabel = "PORT",
      defaultValue = "0",
      description = "Port of the Kafka broker on localhost; default: any free one.")
  int kafkaPort;
}
