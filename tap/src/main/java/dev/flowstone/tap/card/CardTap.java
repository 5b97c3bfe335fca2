// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.card;

import dev.flowstone.offheap.ring.RingSetWriter;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * Carries one card's records into ring files until it is stopped. A ring of the card that stands
 * still makes a new start, with new ring files, and so do other rings or key groups that somebody
 * asks for. One thread runs it; any may stop it and ask for counters. Whoever made it closes the
 * card.
 */
public final class CardTap {
  /** From a stop to the end of a tap whose card does nothing more. */
  public static final Duration END_LIMIT = CardLimits.DEFAULT.end();

  private final Card card;
  private final CardFiles files;
  private final boolean mayWait;
  private final Consumer<String> say;
  private final CardLosses losses = new CardLosses();
  private final WriteRefusals refusals = new WriteRefusals();
  private CardShape shape;
  private CardRuleTable rules;
  private volatile CardRun run;
  private final AtomicInteger starts = new AtomicInteger();
  private volatile boolean stopping;
  private volatile Runnable started = () -> {};
  private volatile CardLimits limits = CardLimits.DEFAULT;

  /**
   * A tap that has not begun.
   *
   * @param mayWait whether packets stay in the card while readers leave no room in a ring file;
   *     else the file drops them
   */
  public CardTap(
      Card card,
      CardShape shape,
      CardFiles files,
      CardRuleTable rules,
      boolean mayWait,
      Consumer<String> say) {
    this.card = card;
    this.shape = shape;
    this.files = files;
    this.rules = rules;
    this.mayWait = mayWait;
    this.say = say;
  }

  /** Sets the limits that apply from now on, also to what the tap waits for at present. */
  void limit(CardLimits newLimits) {
    limits = newLimits;
  }

  /** What is done at each start of the kernels, when they take packets. */
  public void whenStarted(Runnable action) {
    started = action;
  }

  /**
   * Runs until {@link #stop}, or until a card without a cable has sent all that it was to send.
   *
   * @throws CardException if the card cannot go on
   */
  public void run() {
    tellOfFormer(new FormerRun(card, limits, say).end(files.directory()));
    CardRun.End end;
    do {
      end = runOnce();
    } while (!stopping && isToGoOn(end));
  }

  private boolean isToGoOn(CardRun.End end) {
    return switch (end) {
      case STOPPED, SENT -> false;
      case OUT_OF_SHAPE -> true;
      case STANDS_STILL -> {
        refusals.add();
        if (refusals.areTooMany()) {
          throw new CardException(
              card.name() + ": its memory refuses writes again and again: the card is broken");
        }
        sayAnew("its memory refused a write, and that ring stands still");
        yield true;
      }
    };
  }

  private void sayAnew(String why) {
    say.accept(
        "%s: %s: all is started anew, with new rings%s"
            .formatted(
                card.name(),
                why,
                card.sources().isEmpty() ? "" : ", and captures are sent from their beginning"));
  }

  /**
   * In an incarnation of its own, for each start of the kernels has one and the counters of both
   * must agree, whenever this tap is killed in its turn.
   */
  private void tellOfFormer(long packets) {
    if (packets > 0) {
      losses.addTold(CardLoss.AWAY, packets);
      try (RingSetWriter writer = files.makeForLosses(shape())) {
        writer.lostBeforeTap(packets, CardRun.nowNs());
        // Were this tap killed now, the next one would find nothing untold.
        writer.end();
      }
    }
  }

  private CardRun.End runOnce() {
    losses.beginRun();
    starts.incrementAndGet();
    CardShape now = shape();
    try (RingSetWriter writer = files.make(now);
        EndOfFiles _ = files::ended) {
      CardRun next = new CardRun(card, now, writer, losses, () -> limits, mayWait, say);
      publish(next);
      CardRun.End end = next.run(started);
      card.release();
      return end;
    }
  }

  /** With the rules and the wishes that there are, and those that come from now on. */
  private synchronized void publish(CardRun next) {
    run = next;
    next.program(rules);
    if (!shape.equals(next.shape())) {
      next.makeWay();
    }
    if (stopping) {
      next.stop();
    }
  }

  /** Comes before the files are closed. */
  private interface EndOfFiles extends AutoCloseable {
    @Override
    void close();
  }

  /** Ends after what is in the card, which waits for full rings only a little longer. */
  public synchronized void stop() {
    stopping = true;
    CardRun current = run;
    if (current != null) {
      current.stop();
    }
  }

  private synchronized CardShape shape() {
    return shape;
  }

  /**
   * Other rings, or other key groups in them: what is in the card goes into the rings that are
   * there, and then all is started anew.
   *
   * @throws dev.flowstone.offheap.ring.RingFileException if there is no room for them; then nothing
   *     changes
   */
  public void reshape(CardShape wanted) {
    if (wanted.equals(shape())) {
      return;
    }
    if (run != null) {
      files.prepare(wanted);
    }
    begin(wanted);
  }

  private synchronized void begin(CardShape wanted) {
    shape = wanted;
    if (stopping) {
      return;
    }
    sayAnew(wanted.rings() + " are asked for");
    if (run != null) {
      run.makeWay();
    }
  }

  /** Other rules from now on; those of the card change within a tenth of a second. */
  public synchronized void program(CardRuleTable table) {
    rules = table;
    CardRun current = run;
    if (current != null) {
      current.program(table);
    }
  }

  public CardCounters counters() {
    CardRun current = run;
    CardWatch.Seen seen = current == null ? CardWatch.Seen.NOTHING : current.seen();
    return new CardCounters(
        card.name(),
        starts.get(),
        seen.ports(),
        seen.rings(),
        current == null ? List.of() : current.pumpCounters(),
        seen.sources(),
        losses.counts(),
        seen.clockOffsetNs());
  }
}
