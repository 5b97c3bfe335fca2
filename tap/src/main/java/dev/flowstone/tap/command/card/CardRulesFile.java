// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.command.card;

import dev.flowstone.rules.RuleSet;
import dev.flowstone.rules.RulesFileException;
import dev.flowstone.rules.card.CardPlan;
import dev.flowstone.rules.card.CardPlanner;
import dev.flowstone.rules.yaml.RulesYaml;
import dev.flowstone.tap.card.CardRuleTable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.function.Consumer;

/**
 * A file of rules for cards, looked at once a second: what is good of it goes to the cards, what is
 * not is said, and the rules before stay. Whoever starts it closes it.
 */
final class CardRulesFile implements AutoCloseable {
  private static final long LOOK_MS = 1_000;

  private final Path file;
  private final Consumer<PlacedRules> cards;
  private final Thread thread =
      Thread.ofPlatform().name("tap-rules").daemon().unstarted(this::watch);
  private byte[] text;

  /**
   * @param cards take new rules
   */
  CardRulesFile(Path file, Consumer<PlacedRules> cards) {
    this.file = file;
    this.cards = cards;
  }

  /** Reads the file for the first time; throws what is wrong with it. */
  void begin() {
    try {
      text = Files.readAllBytes(file);
      take();
    } catch (IOException e) {
      throw new UncheckedIOException(file + ": cannot read the rules: " + e.getMessage(), e);
    }
    thread.start();
  }

  private void take() {
    RuleSet rules = RulesYaml.read(text, file.toString());
    CardPlan plan = CardPlanner.plan(rules);
    cards.accept(
        new PlacedRules(
            new CardRuleTable(plan.entries()),
            plan.rulesOnCard(),
            rules.size() - plan.rulesOnCard()));
    CardCommand.say(
        "%s: the first %d of %d rules are on the card, %d of these drop there; the others are left to jobs"
            .formatted(file, plan.rulesOnCard(), rules.size(), plan.rulesThatDrop()));
  }

  private void watch() {
    try {
      while (true) {
        Thread.sleep(LOOK_MS);
        look();
      }
    } catch (InterruptedException closed) {
      // The cards are stopped.
    }
  }

  private void look() {
    try {
      byte[] now = Files.readAllBytes(file);
      if (!Arrays.equals(now, text)) {
        text = now;
        take();
      }
    } catch (RulesFileException e) {
      CardCommand.say(e.getMessage() + "\n" + file + ": the rules before stay in force");
    } catch (IOException beingReplaced) {
      // The next look finds it.
    } catch (RuntimeException e) {
      CardCommand.say(file + ": the rules before stay in force: " + e.getMessage());
    }
  }

  @Override
  public void close() {
    thread.interrupt();
  }
}
