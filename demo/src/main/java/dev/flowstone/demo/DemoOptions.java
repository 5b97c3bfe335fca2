// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Option;

/** What the demo can be told. */
final class DemoOptions {
  @Option(
      names = "--seconds",
      paramLabel = "N",
      description = "Ends after that many seconds of traffic; default: at Ctrl-C.")
  Optional<Integer> seconds = Optional.empty();

  @Option(
      names = "--pcap",
      paramLabel = "FILE",
      description = "Replays a capture at recorded speed instead of synthetic traffic.")
  Optional<Path> pcap = Optional.empty();

  @Option(
      names = "--live",
      paramLabel = "IFACE",
      description = "Captures from a network interface instead.")
  Optional<String> live = Optional.empty();

  @Option(
      names = "--rate",
      paramLabel = "PACKETS",
      description = "Packets per second; default 1,000,000 for synthetic traffic.")
  Optional<Double> rate = Optional.empty();

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

  @Option(names = "--ring-count", paramLabel = "N", defaultValue = "2", hidden = true)
  int ringCount = 2;

  @Option(
      names = "--ring-bytes",
      paramLabel = "SIZE",
      defaultValue = "512m",
      description = "Size of each of the two rings; default ${DEFAULT-VALUE}.")
  String ringBytes = "512m";

  void requireSense() {
    if (pcap.isPresent() && live.isPresent()) {
      throw new IllegalArgumentException("--pcap and --live exclude each other");
    }
    if (live.isPresent() && rate.isPresent()) {
      throw new IllegalArgumentException("--rate is for --pcap and synthetic traffic, not --live");
    }
    if (seconds.isPresent() && seconds.get() < 1) {
      throw new IllegalArgumentException("--seconds must be 1 or more: " + seconds.get());
    }
  }

  /** The tap that this demo wants, as arguments of {@code ./flowstone tap}. */
  List<String> tapArguments(Path rings, Path tapReport) {
    List<String> arguments = new ArrayList<>();
    if (live.isPresent()) {
      arguments.addAll(List.of("live", live.get()));
    } else if (pcap.isPresent()) {
      arguments.addAll(List.of("replay", pcap.get().toAbsolutePath().toString()));
      arguments.addAll(
          rate.isPresent() ? List.of("--rate", "" + rate.get()) : List.of("--speed", "1"));
    } else {
      arguments.add("synthetic");
      arguments.addAll(List.of("--rate", "" + rate.orElse(1e6)));
    }
    seconds.ifPresent(limit -> arguments.addAll(List.of("--seconds", "" + limit)));
    arguments.addAll(List.of("--rings", rings.toString(), "--ring-count", "" + ringCount));
    arguments.addAll(List.of("--ring-bytes", ringBytes, "--wait-for-reader"));
    arguments.addAll(List.of("--when-full", "drop"));
    arguments.addAll(List.of("--report", tapReport.toString()));
    return arguments;
  }

  String describe() {
    return live.map(name -> "live capture on " + name)
        .or(() -> pcap.map(file -> "replay of " + file.getFileName()))
        .orElse("synthetic traffic");
  }
}
