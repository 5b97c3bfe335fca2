// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.command.card;

import dev.flowstone.model.abi.RingClock;
import dev.flowstone.offheap.ring.RingCounters;
import dev.flowstone.offheap.ring.RingDirectory;
import dev.flowstone.offheap.ring.RingFile;
import dev.flowstone.offheap.ring.RingFileException;
import dev.flowstone.offheap.ring.RingSetWriter;
import dev.flowstone.tap.card.Card;
import dev.flowstone.tap.card.CardCounters;
import dev.flowstone.tap.card.CardFiles;
import dev.flowstone.tap.card.CardRuleTable;
import dev.flowstone.tap.card.CardShape;
import dev.flowstone.tap.card.CardTap;
import dev.flowstone.tap.command.run.FilledRings;
import dev.flowstone.tap.command.run.ReaderWait;
import dev.flowstone.tap.command.run.RingFileOptions;
import java.util.List;
import java.util.Optional;

/**
 * One card at work, with its ring files, for those who look on from other threads: display,
 * metrics, whoever asks.
 */
final class RunningCard implements CardFiles {
  private final Card card;
  private final RingDirectory directory;
  private final FilledRings rings;
  private final CardTap tap;
  private final ReaderWait readers;
  private boolean hasBegun;
  private volatile boolean stopping;
  private volatile boolean hasEnded;
  private volatile Optional<Throwable> failure = Optional.empty();
  private volatile List<RingCounters> lastCounters = List.of();

  /** Not begun; rings of one of several cards have a folder of their own below that of all. */
  RunningCard(Card card, CardShape shape, CardOptions options, RingFileOptions ringOptions) {
    this.card = card;
    directory =
        options.devices.size() > 1
            ? new RingDirectory(
                ringOptions.directory().path().resolve(card.name().replaceAll("[ :]", "-")))
            : ringOptions.directory();
    readers = options.readers;
    rings = new FilledRings(ringOptions, directory, card.name());
    tap = new CardTap(card, shape, this, CardRuleTable.EMPTY, options.mayWait(), CardCommand::say);
    rings.stopWhenGone(this::stop);
  }

  /** What is done when packets may come, at each start of the card; said before it runs. */
  void whenItBegins(Runnable action) {
    tap.whenStarted(action);
  }

  Card card() {
    return card;
  }

  @Override
  public RingDirectory directory() {
    return directory;
  }

  @Override
  public RingSetWriter make(CardShape shape) {
    RingSetWriter writer =
        rings.make(shape.ringCount(), shape.maxParallelism(), RingClock.HARDWARE);
    try {
      rings.watch(writer);
    } catch (RuntimeException e) {
      writer.close();
      throw e;
    }
    if (!hasBegun) {
      hasBegun = true;
      readers.await(writer, () -> stopping);
    }
    return writer;
  }

  @Override
  public void prepare(CardShape shape) {
    rings.prepare(shape.ringCount(), shape.maxParallelism(), RingClock.HARDWARE);
  }

  @Override
  public RingSetWriter makeForLosses(CardShape shape) {
    return rings.makeSmallest(shape.ringCount(), shape.maxParallelism(), RingClock.HARDWARE);
  }

  @Override
  public void ended() {
    lastCounters = rings.counters();
    rings.forget();
  }

  /** To the end of the tap; a failure is said, and kept. */
  void run() {
    try {
      tap.run();
      rings.requireAll();
    } catch (RuntimeException | Error e) {
      failure = Optional.of(e);
    } finally {
      hasEnded = true;
      rings.close();
      rings.makeNoMore();
    }
  }

  void program(CardRuleTable rules) {
    tap.program(rules);
  }

  /** Where there is no room for other rings, those that are there go on. */
  void reshape(CardShape shape) {
    try {
      tap.reshape(shape);
    } catch (RingFileException e) {
      CardCommand.say(
          "%s goes on with the rings that it has: %s".formatted(card.name(), e.getMessage()));
    }
  }

  void stop() {
    stopping = true;
    tap.stop();
  }

  Optional<Throwable> failure() {
    return failure;
  }

  /** Whether its packets are taken, or will be. */
  boolean isUp() {
    return !hasEnded;
  }

  CardCounters counters() {
    return tap.counters();
  }

  /** Of its ring files; after the end, what they counted last. */
  List<RingCounters> ringCounters() {
    List<RingCounters> now = rings.counters();
    return now.isEmpty() ? lastCounters : now;
  }

  List<RingFile> files() {
    return rings.files();
  }
}
