// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.command.card;

import dev.flowstone.commandline.Allowed;
import dev.flowstone.commandline.ByteSizeConverter;
import dev.flowstone.model.abi.CardRingRegistersLayout;
import dev.flowstone.model.abi.RingFileHeaderLayout;
import dev.flowstone.offheap.ring.RingSpecification;
import dev.flowstone.tap.card.CardCapture;
import dev.flowstone.tap.card.CardFrames;
import dev.flowstone.tap.card.CardShape;
import dev.flowstone.tap.card.Emulator;
import dev.flowstone.tap.command.run.ReaderWait;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Which cards, and what their rings are like. */
final class CardOptions {
  private static final int DEFAULT_GAP_CYCLES = 300;

  @Option(
      names = "--device",
      paramLabel = "DEVICE",
      required = true,
      converter = DeviceChoice.Converter.class,
      description =
          "A card's number (0), its place on the bus (0000:3b:00.1), or emulated[:model|rtl]. Several"
              + " cards: once for each.")
  List<DeviceChoice> devices = List.of();

  @Option(
      names = "--xclbin",
      paramLabel = "FILE",
      description = "What makes a card Flowstone's. Emulated cards bring their own.")
  Optional<Path> xclbin = Optional.empty();

  @Option(
      names = "--xrt",
      paramLabel = "LIBRARY",
      description =
          "XRT's library: a file or a name, or amd for AMD's over emulated cards. Default: AMD's"
              + " for cards, Flowstone's own for emulated ones.")
  Optional<String> library = Optional.empty();

  @Option(
      names = "--ring-count",
      paramLabel = "N",
      defaultValue = "2",
      description =
          "How many rings a card fills; a multiple of the job's parallelism. Default ${DEFAULT-VALUE}.")
  @Allowed(from = "1", to = "" + CardRingRegistersLayout.MOST_RINGS)
  private int ringCount;

  @Option(
      names = "--max-parallelism",
      paramLabel = "N",
      defaultValue = "128",
      description = "The Flink job's maxParallelism, a power of two. Default ${DEFAULT-VALUE}.")
  @Allowed(from = "1", to = "" + RingFileHeaderLayout.MAX_KEY_GROUPS)
  private int maxParallelism;

  @Option(
      names = "--key-groups",
      paramLabel = "FILE",
      description =
          "Lines ring-count = N and max-parallelism = N, in place of these options. Looked at once a second:"
              + " other numbers start cards and rings anew while the tap goes on.")
  Optional<Path> keyGroups = Optional.empty();

  @Option(
      names = "--card-ring-bytes",
      paramLabel = "SIZE",
      defaultValue = "64m",
      converter = ByteSizeConverter.class,
      description =
          "Size of each ring in the card's memory, and as much in the host's; rounded up to a power of"
              + " two. Larger: the tap may be away for longer. Default ${DEFAULT-VALUE}.")
  @Allowed(from = "64k", to = "256m")
  private long cardRingBytes;

  @Option(
      names = "--when-full",
      paramLabel = "drop|wait",
      defaultValue = "wait",
      description =
          "What to do when readers leave no room in a ring file. wait: packets stay in the card, which drops"
              + " when its own ring is full. Default ${DEFAULT-VALUE}.")
  private String whenFull;

  @Mixin ReaderWait readers;

  @Option(
      names = "--rules",
      paramLabel = "FILE",
      description =
          "Rules whose first ones the card takes: it drops what they drop, and says in traffic_class which one a"
              + " packet meets. Looked at once a second. Give jobs the same file.")
  Optional<Path> rules = Optional.empty();

  @Option(
      names = "--feed",
      paramLabel = "FEED",
      description =
          "What comes in at the first port, then at the second: captures FILE[,FILE]..., or none. Of"
              + " cards in the machine for those without a cable, which send them out of their own memory. Of"
              + " emulated cards also generator[:packets=N,rate=N,flows=N,seed=N];"
              + " synthetic[:preset=NAME,rate=N,start=now...], as tap synthetic takes it; default:"
              + " generator. The tap ends when all have.")
  private List<String> feeds = List.of();

  @Option(
      names = "--loop",
      paramLabel = "N",
      description = "How often captures of --feed are sent; 0: for ever. Default 1.")
  @Allowed(from = "0", to = "" + Integer.MAX_VALUE)
  private Optional<Integer> loop = Optional.empty();

  @Option(
      names = "--gap",
      paramLabel = "CYCLES",
      description =
          "Of a card without a cable: clock cycles of 3.33 ns that it leaves free after each frame of"
              + " --feed. 0: faster than a cable could. Default "
              + DEFAULT_GAP_CYCLES
              + "; about a million short frames a second.")
  @Allowed(from = "0", to = "" + Integer.MAX_VALUE)
  private Optional<Integer> gapCycles = Optional.empty();

  @Option(
      names = "--emulated",
      paramLabel = "OPTION=VALUE",
      description =
          "More of what flowstone-card takes, such as pace=max, time=capture, fault=late-head:every=100000.")
  private List<String> emulated = List.of();

  @Option(
      names = "--card-folder",
      paramLabel = "DIR",
      hidden = true,
      description = "Of emulated cards: where their sockets and states are while this runs.")
  Optional<Path> folder = Optional.empty();

  /** As options say; --key-groups may say otherwise. */
  CardShape shape() {
    return new CardShape(
        ringCount, RingSpecification.slotsLog2ForBytes(cardRingBytes), maxParallelism);
  }

  /** Throws if --when-full says neither. */
  void requireWhenFull() {
    mayWait();
  }

  boolean mayWait() {
    return switch (whenFull) {
      case "wait" -> true;
      case "drop" -> false;
      default -> throw new IllegalArgumentException("--when-full is drop or wait: " + whenFull);
    };
  }

  /**
   * Whether emulated cards have no cable: then they are sent what cards in the machine would be.
   */
  boolean areCableless() {
    return emulated.contains("design=" + Emulator.CABLELESS);
  }

  /** What comes over the cables of emulated cards. */
  List<CardFeed> feeds() {
    if (areCableless()) {
      return List.of();
    }
    return (feeds.isEmpty() ? List.of("generator") : feeds).stream().map(CardFeed::parse).toList();
  }

  /** What cards without a cable send themselves; captures are read for it. */
  CardFrames frames() {
    if (feeds.isEmpty()) {
      if (loop.isPresent() || gapCycles.isPresent()) {
        throw new IllegalArgumentException(
            "--loop and --gap say how captures are sent: name them, --feed FILE[,FILE]...");
      }
      return CardFrames.NONE;
    }
    List<List<Path>> captures =
        feeds.stream().map(CardFeed::parse).map(CardFeed::captures).toList();
    return new CardFrames(
        captures.stream().map(CardCapture::of).toList(),
        loop.orElse(1),
        gapCycles.orElse(DEFAULT_GAP_CYCLES));
  }

  private void requireNoGap() {
    if (gapCycles.isPresent()) {
      throw new IllegalArgumentException(
          "--gap is of cards without a cable: how fast frames come over that of an emulated one says --emulated pace=N");
    }
  }

  /** What is passed on to the programs of emulated cards, besides their feeds. */
  List<String> emulatedOptions() {
    List<String> options = new ArrayList<>();
    List<CardFeed> all = feeds();
    if (all.stream().anyMatch(CardFeed::isSent) && all.stream().allMatch(CardFeed::hasTimes)) {
      options.addAll(List.of("--time", "capture"));
    }
    if (!areCableless()) {
      requireNoGap();
      loop.ifPresent(rounds -> options.addAll(List.of("--repeat", "" + rounds)));
    }
    for (String option : emulated) {
      int equals = option.indexOf('=');
      if (equals <= 0) {
        throw new IllegalArgumentException("--emulated is OPTION=VALUE: " + option);
      }
      options.addAll(List.of("--" + option.substring(0, equals), option.substring(equals + 1)));
    }
    return options;
  }
}
