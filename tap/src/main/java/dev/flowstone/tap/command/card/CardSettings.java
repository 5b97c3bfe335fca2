// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.command.card;

import dev.flowstone.tap.card.CardShape;
import java.nio.file.Path;
import java.util.Optional;

/** What of cards files say, and may say otherwise while they are at work. */
final class CardSettings implements AutoCloseable {
  private final Optional<Path> rulesFile;
  private final Optional<WatchedFile<PlacedRules>> rules;
  private final Optional<WatchedFile<CardShape>> keyGroups;
  private final Optional<PlacedRules> firstRules;
  private final CardShape firstShape;

  /** Reads the files; throws what is wrong with them. */
  CardSettings(CardOptions options) {
    KeyGroupsFormat format = new KeyGroupsFormat(options.shape());
    rulesFile = options.rules;
    rules = rulesFile.map(file -> new WatchedFile<>(file, "rules", PlacedRules::parse));
    keyGroups = options.keyGroups.map(file -> new WatchedFile<>(file, "key groups", format));
    firstRules = rules.map(WatchedFile::read);
    firstShape = keyGroups.map(WatchedFile::read).orElse(options.shape());
  }

  /** What the cards begin with. */
  CardShape shape() {
    return firstShape;
  }

  /** Gives cards what the files said at first, and from now on what they come to say. */
  void follow(RunningCards cards) {
    firstRules.ifPresent(first -> program(cards, first));
    rules.ifPresent(file -> file.follow(placed -> program(cards, placed)));
    keyGroups.ifPresent(file -> file.follow(cards::reshape));
  }

  private void program(RunningCards cards, PlacedRules placed) {
    cards.program(placed);
    CardCommand.say(rulesFile.orElseThrow() + ": " + placed);
  }

  @Override
  public void close() {
    rules.ifPresent(WatchedFile::close);
    keyGroups.ifPresent(WatchedFile::close);
  }
}
