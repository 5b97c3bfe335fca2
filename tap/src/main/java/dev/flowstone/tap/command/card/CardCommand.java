// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.command.card;

import dev.flowstone.commandline.EscapedText;
import dev.flowstone.commandline.OutputFile;
import dev.flowstone.tap.card.Card;
import dev.flowstone.tap.card.CardTap;
import dev.flowstone.tap.command.run.RingFileOptions;
import dev.flowstone.tap.command.run.RunEnd;
import dev.flowstone.tap.command.run.RunOptions;
import dev.flowstone.tap.command.run.TerminalLine;
import dev.flowstone.tap.metrics.MetricsServer;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code ./flowstone tap card}. */
@Command(
    name = "card",
    mixinStandardHelpOptions = true,
    description = "Fills rings from cards: an Alveo with Flowstone's kernels, or an emulated one.")
public final class CardCommand implements Runnable {
  @Mixin private CardOptions options;
  @Mixin private RingFileOptions rings;
  @Mixin private RunOptions run;

  @Override
  public void run() {
    run.report.ifPresent(OutputFile::requireWritable);
    options.requireWhenFull();
    try (CardSettings settings = new CardSettings(options);
        MetricsServer server = run.bindMetrics();
        OpenCards cards = OpenCards.open(options)) {
      List<RunningCard> running = new ArrayList<>();
      for (Card card : cards.all()) {
        running.add(new RunningCard(card, settings.shape(), options, rings));
      }
      cards
          .shut()
          .forEach((card, why) -> say(card + ": " + why.getMessage() + "; the other cards go on"));
      List<String> shut = List.copyOf(cards.shut().keySet());
      carry(new RunningCards(running, shut), settings, cards, server);
      cards.requireFrames();
      cards.requireAll();
    }
  }

  private void carry(
      RunningCards cards, CardSettings settings, OpenCards opened, MetricsServer server) {
    RunEnd end = RunEnd.listen(run, cards::stop, CardTap.END_LIMIT);
    cards
        .all()
        .forEach(
            card ->
                say(
                    "%s (builds %s) -> %s"
                        .formatted(
                            card.card().name(), card.card().builds(), card.directory().path())));
    try (TerminalLine display = new TerminalLine(seconds -> cards.report(false).line(seconds));
        MetricsServer _ = MetricsServer.serve(server, cards::metrics)) {
      end.answer(() -> cards.report(false).json());
      if (!opened.whenFramesBegin(end::stopAfterLimit)) {
        cards.all().forEach(card -> card.whenItBegins(end::stopAfterLimit));
      }
      end.stopWhen(opened::haveAllFrames);
      display.start();
      settings.follow(cards);
      cards.run();
    } finally {
      try {
        finish(cards.report(true));
      } finally {
        end.close();
      }
    }
  }

  static void say(String line) {
    System.err.println(EscapedText.of(line));
  }

  private void finish(CardReport report) {
    report.finish(run.report);
    if (run.countersOnRequest) {
      System.out.print(report.json());
    }
  }
}
