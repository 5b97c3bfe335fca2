// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.command;

import dev.flowstone.tap.card.CardRuleTable;
import java.util.List;

/** The cards of a tap at work, each by itself: one that fails leaves the others alone. */
record RunningCards(List<RunningCard> all) {
  RunningCards {
    all = List.copyOf(all);
  }

  /** Runs all to their ends; then throws why one failed, if one did. */
  void run() {
    List<Thread> threads =
        all.stream()
            .map(
                card ->
                    Thread.ofPlatform().name("tap-" + card.card().name()).start(() -> run(card)))
            .toList();
    threads.forEach(this::await);
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

  /** To its end in any case: it uses a card that is closed next. */
  private void await(Thread thread) {
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
        stop();
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  void stop() {
    all.forEach(RunningCard::stop);
  }

  void program(CardRuleTable rules) {
    all.forEach(card -> card.program(rules));
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
