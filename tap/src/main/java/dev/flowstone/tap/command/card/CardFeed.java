// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.command.card;

import dev.flowstone.commandline.CommandRunner;
import dev.flowstone.tap.command.source.SyntheticTraffic;
import dev.flowstone.tap.wire.FrameSender;
import dev.flowstone.traffic.synthetic.SyntheticSource;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** What comes in at a port of an emulated card, or of one without a cable. */
sealed interface CardFeed {
  /** What the card's program takes for it. */
  String argument(Path pipe);

  /** Who sends it, once the card is there; none where the card makes it itself. */
  Optional<FrameSender> start(Path pipe);

  /** Whether its frames have times of their own, which the card could keep. */
  boolean hasTimes();

  /** Whether this process sends them. */
  boolean isSent();

  /** Captures that a card could send out of its own memory; throws if it is something else. */
  List<Path> captures();

  private static IllegalArgumentException noCaptures(String text) {
    return new IllegalArgumentException(
        "--feed %s: a card without a cable sends captures, FILE[,FILE]..., or none; what else there is comes over the cables of emulated cards alone (--device emulated)"
            .formatted(text));
  }

  /** One that the card's own program knows: captures, generator, none. */
  record OfCard(String text) implements CardFeed {
    private static final String NOTHING = "none";
    private static final String PIPE = "pipe:";

    private boolean isGenerator() {
      return text.equals("generator") || text.startsWith("generator:");
    }

    @Override
    public String argument(Path pipe) {
      return text;
    }

    @Override
    public Optional<FrameSender> start(Path pipe) {
      return Optional.empty();
    }

    /** Captures have, and where nothing comes none are wrong. */
    @Override
    public boolean hasTimes() {
      return !isGenerator();
    }

    @Override
    public boolean isSent() {
      return false;
    }

    @Override
    public List<Path> captures() {
      if (isGenerator() || text.startsWith(PIPE)) {
        throw noCaptures(text);
      }
      return text.equals(NOTHING)
          ? List.of()
          : Stream.of(text.split(",", -1)).map(Path::of).toList();
    }
  }

  /** Traffic as {@code tap synthetic} makes it, sent by this process. */
  record Synthetic(SyntheticTraffic traffic) implements CardFeed {
    @Override
    public String argument(Path pipe) {
      return "pipe:" + pipe;
    }

    @Override
    public Optional<FrameSender> start(Path pipe) {
      return Optional.of(
          FrameSender.start(pipe, () -> new SyntheticSource(traffic.options()), traffic::pacer));
    }

    @Override
    public boolean hasTimes() {
      return true;
    }

    @Override
    public boolean isSent() {
      return true;
    }

    @Override
    public List<Path> captures() {
      throw noCaptures("synthetic");
    }
  }

  /** {@code synthetic:preset=syn-flood,rate=500k} and what the card's program knows. */
  static CardFeed parse(String text) {
    String name = "synthetic";
    if (!text.equals(name) && !text.startsWith(name + ":")) {
      return new OfCard(text);
    }
    List<String> options =
        Stream.of(text.substring(Math.min(text.length(), name.length() + 1)).split(",", -1))
            .filter(option -> !option.isEmpty())
            .map(option -> "--" + option)
            .toList();
    SyntheticTraffic traffic = new SyntheticTraffic();
    CommandRunner.read(traffic, "--feed " + name, options);
    // What is wrong is known now, not when the first frame is wanted.
    traffic.options();
    return new Synthetic(traffic);
  }
}
