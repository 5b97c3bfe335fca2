// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.command.card;

import dev.flowstone.tap.ThreadEnd;
import dev.flowstone.tap.card.CardShape;
import java.util.List;

/** The cards of a tap at work, each by itself: one that fails leaves the others alone. */
final class RunningCards {
  private final List<RunningCard> all;
  private final List<String> shut;
  private volatile PlacedRules rules = PlacedRules.NONE;

  /**
   * @param shut names of those that could not be opened
   */
  RunningCards(List<RunningCard> all, List<String> shut) {
    this.all = List.copyOf(all);
    this.shut = List.copyOf(shut);
  }

  List<RunningCard> all() {
    return all;
  }

  List<String> shut() {
    return shut;
  }

  PlacedRules rules() {
    return rules;
  }

  /** Runs all to their ends; then throws why one failed, if one did. */
  void run() {
    List<Thread> threads =
        all.stream()
            .map(
                card ->
                    Thread.ofPlatform().name("tap-" + card.card().name()).start(() -> run(card)))
            .toList();
    threads.forEach(thread -> ThreadEnd.await(thread, this::stop));
    all.stream()
        .flatMap(card -> card.failure().stream())
        .findFirst()
        .ifPresent(
            failure -> {
              switch (failure) {
                case RuntimeException e -> throw e;
                case Throwable e -> throw (Error) e;
              }
            });
  }

  private void run(RunningCard card) {
    card.run();
    if (all.size() > 1) {
      card.failure()
          .ifPresent(why -> CardCommand.say(why.getMessage() + "; the other cards go on"));
    }
  }

  void stop() {
    all.forEach(RunningCard::stop);
  }

  void program(PlacedRules placed) {
    rules = placed;
    all.forEach(card -> card.program(placed.table()));
  }

  void reshape(CardShape shape) {
    all.stream().filter(RunningCard::isUp).forEach(card -> card.reshape(shape));
  }

  CardReport report(boolean ended) {
    return new CardReport(
        all.stream()
            .map(card -> new CardReport.OfCard(card.counters(), card.ringCounters()))
            .toList(),
        ended);
  }

  String metrics() {
    return CardMetrics.text(this);
  }
}
