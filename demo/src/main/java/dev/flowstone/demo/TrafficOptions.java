// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

import dev.flowstone.commandline.EscapedText;
import dev.flowstone.commandline.RateConverter;
import dev.flowstone.harness.LocalCluster;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Option;

/** Which packets, how fast and how long, and the rings for them. The demo hands it to its tap. */
final class TrafficOptions {
  private static final double USUAL_RATE = 1e6;

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
      converter = RateConverter.class,
      description =
          "Packets per second, such as 812k or 1.4M; default 1,000,000 for synthetic traffic.")
  Optional<Double> rate = Optional.empty();

  @Option(names = "--ring-count", paramLabel = "N", defaultValue = "2", hidden = true)
  int ringCount = 2;

  @Option(
      names = "--ring-bytes",
      paramLabel = "SIZE",
      defaultValue = "512m",
      description = "Size of each of the two rings; default ${DEFAULT-VALUE}.")
  String ringBytes = "512m";

  void requireSense() {
    pcap.ifPresent(TrafficOptions::requireReadable);
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

  /** Before anything is started: what cannot be read need not wait for Flink and Kafka. */
  private static void requireReadable(Path capture) {
    if (!Files.isRegularFile(capture) || !Files.isReadable(capture)) {
      throw new IllegalArgumentException(
          "--pcap " + capture + ": no such file, not a file, or no right to read it");
    }
  }

  /** The tap that this demo wants, as arguments of {@code ./flowstone tap}. */
  List<String> tapArguments(Path rings) {
    List<String> arguments = new ArrayList<>();
    if (live.isPresent()) {
      arguments.addAll(List.of("live", live.get()));
    } else if (pcap.isPresent()) {
      arguments.addAll(List.of("replay", pcap.get().toAbsolutePath().toString()));
      arguments.addAll(
          rate.isPresent() ? List.of("--rate", "" + rate.get()) : List.of("--speed", "1"));
    } else {
      arguments.add("synthetic");
      arguments.addAll(List.of("--rate", "" + rate.orElse(USUAL_RATE)));
    }
    seconds.ifPresent(limit -> arguments.addAll(List.of("--seconds", "" + limit)));
    arguments.addAll(List.of("--rings", rings.toString(), "--ring-count", "" + ringCount));
    arguments.addAll(List.of("--ring-bytes", ringBytes, "--wait-for-reader"));
    arguments.addAll(List.of("--max-parallelism", "" + LocalCluster.MAX_PARALLELISM));
    arguments.addAll(List.of("--when-full", "drop", "--counters-on-request"));
    return arguments;
  }

  String describe() {
    return live.map(name -> "live capture on " + EscapedText.of(name))
        .or(() -> pcap.map(file -> "replay of " + EscapedText.of(file.getFileName().toString())))
        .orElse("synthetic traffic");
  }
}
