// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

import dev.flowstone.commandline.Allowed;
import dev.flowstone.commandline.ByteSizeConverter;
import dev.flowstone.commandline.EscapedText;
import dev.flowstone.commandline.RateConverter;
import dev.flowstone.harness.LocalCluster;
import dev.flowstone.model.abi.RingFileHeaderLayout;
import dev.flowstone.offheap.ring.RingFile;
import dev.flowstone.offheap.ring.RingSpecification;
import dev.flowstone.tap.card.Emulator;
import dev.flowstone.tap.live.LiveOptions;
import dev.flowstone.tap.live.LiveSource;
import dev.flowstone.tap.replay.CaptureCheck;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Option;

/** Which packets, how fast and how long, and the rings for them. The demo hands it to its tap. */
final class TrafficOptions {
  /**
   * Every function keeps up with it on two cores once its code is compiled; what came until then,
   * some three million packets, waits in the rings and is made up for within half a minute.
   */
  private static final double DEFAULT_RATE = 5e5;

  /** A slow machine gets a slower flood, and still one that the demo's rules find. */
  private static final double MIN_FLOOD = 20e3;

  private static final double MAX_FLOOD = 100e3;
  private static final double FLOOD_PER_PACKET = 0.2;

  private static final String NO_CARD = "--no-card";

  private static final int LEAST_BLOCKS = 2;

  /** Each ring of the card: two seconds at the usual rate. */
  private static final String CARD_RING_BYTES = "32m";

  /** Of one flow, ten times a second: fewer on a slow machine, and still what its rules find. */
  private static final int MIN_BURST = 200;

  private static final int MAX_BURST = 1_000;
  private static final double BURST_PER_PACKET = 0.002;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      description = "Ends after that many seconds of traffic; default: at Ctrl-C.")
  @Allowed(from = "1", to = "31536000", unit = "seconds")
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
      names = NO_CARD,
      description =
          "Has the tap make synthetic traffic itself; without this it comes through an emulated card.")
  boolean noCard;

  @Option(
      names = "--rate",
      paramLabel = "PACKETS",
      converter = RateConverter.class,
      description =
          "Packets per second, such as 812k or 1.4M; default 500,000 for synthetic traffic.")
  @Allowed(from = "1", to = "1g", unit = "packets per second", whole = true)
  Optional<Double> rate = Optional.empty();

  @Option(names = "--ring-count", paramLabel = "N", defaultValue = "2", hidden = true)
  @Allowed(from = "1", to = "" + RingFileHeaderLayout.MAX_RINGS)
  int ringCount = 2;

  @Option(
      names = "--ring-bytes",
      paramLabel = "SIZE",
      defaultValue = "512m",
      converter = ByteSizeConverter.class,
      description =
          "Size of each of the two rings, rounded up to a power of two; default ${DEFAULT-VALUE}.")
  @Allowed(from = "64k", to = "256g")
  long ringBytes = 512 << 20;

  /** Before anything is started: what cannot work need not wait for Flink and Kafka. */
  void requireSense() {
    if (pcap.isPresent() && live.isPresent()) {
      throw new IllegalArgumentException("--pcap and --live exclude each other");
    }
    if (live.isPresent() && rate.isPresent()) {
      throw new IllegalArgumentException("--rate is for --pcap and synthetic traffic, not --live");
    }
    if (noCard && !isSynthetic()) {
      throw new IllegalArgumentException(
          NO_CARD + " is for synthetic traffic, not --pcap or --live, which no card sees");
    }
    if (hasCard()) {
      requireCard(Emulator.usualPrograms());
    }
    pcap.ifPresent(CaptureCheck::requireReadable);
    live.ifPresent(TrafficOptions::requireInterface);
  }

  /** As its tap will open it, and with what that one would say. */
  private static void requireInterface(String name) {
    LiveOptions options = LiveOptions.of(name).withPromiscuous(false);
    new LiveSource(options.withBuffer(LEAST_BLOCKS, options.retire())).close();
  }

  static void requireCard(Path programs) {
    if (!new Emulator(programs, programs).isThere()) {
      throw new IllegalArgumentException(
          "there is no emulated card in %s: build it with make -C hw emulator, or do without: %s"
              .formatted(programs.toAbsolutePath(), NO_CARD));
    }
  }

  private boolean hasCard() {
    return isSynthetic() && !noCard;
  }

  private boolean isSynthetic() {
    return pcap.isEmpty() && live.isEmpty();
  }

  /** The rate, where it is known before. */
  Optional<Double> packetsPerSecond() {
    return isSynthetic() ? Optional.of(rate.orElse(DEFAULT_RATE)) : rate;
  }

  private int ringSlotsLog2() {
    return RingSpecification.slotsLog2ForBytes(ringBytes);
  }

  /** What all rings take. */
  long allRingBytes() {
    long slots = (long) RingFile.SLOT_BYTES << ringSlotsLog2();
    return ringCount * (RingFileHeaderLayout.HEADER_BYTES + slots);
  }

  /**
   * The tap that this demo wants, as arguments of {@code ./flowstone tap}.
   *
   * @param folder of files that the demo removes
   */
  List<String> tapArguments(Path rings, Path folder) {
    List<String> arguments = new ArrayList<>();
    if (live.isPresent()) {
      arguments.addAll(List.of("live", live.get()));
    } else if (pcap.isPresent()) {
      arguments.addAll(List.of("replay", pcap.get().toAbsolutePath().toString()));
      arguments.addAll(
          rate.isPresent() ? List.of("--rate", "" + rate.get()) : List.of("--speed", "1"));
    } else if (noCard) {
      arguments.add("synthetic");
      synthetic().forEach(option -> arguments.add("--" + option));
    } else {
      arguments.addAll(List.of("card", "--device", "emulated"));
      arguments.addAll(List.of("--feed", "synthetic:" + String.join(",", synthetic())));
      arguments.addAll(List.of("--card-ring-bytes", CARD_RING_BYTES));
      arguments.addAll(List.of("--card-folder", folder.resolve("cards").toString()));
    }
    seconds.ifPresent(limit -> arguments.addAll(List.of("--seconds", "" + limit)));
    arguments.addAll(List.of("--rings", rings.toString(), "--ring-count", "" + ringCount));
    arguments.addAll(List.of("--ring-bytes", "" + ringBytes, "--wait-for-reader"));
    arguments.addAll(List.of("--max-parallelism", "" + LocalCluster.MAX_PARALLELISM));
    arguments.addAll(List.of("--when-full", "drop", "--counters-on-request"));
    return arguments;
  }

  private List<String> synthetic() {
    double packetsPerSecond = rate.orElse(DEFAULT_RATE);
    return List.of(
        "preset=syn-flood",
        "start=now",
        "microbursts="
            + (int) Math.clamp(packetsPerSecond * BURST_PER_PACKET, MIN_BURST, MAX_BURST),
        "flood="
            + Math.round(Math.clamp(packetsPerSecond * FLOOD_PER_PACKET, MIN_FLOOD, MAX_FLOOD)),
        "rate=" + packetsPerSecond);
  }

  String describe() {
    return live.map(name -> "live capture on " + EscapedText.of(name))
        .or(() -> pcap.map(file -> "replay of " + EscapedText.of(file.getFileName().toString())))
        .orElse(noCard ? "synthetic traffic" : "synthetic traffic -> emulated card");
  }
}
