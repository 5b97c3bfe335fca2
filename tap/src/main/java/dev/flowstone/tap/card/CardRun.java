// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.card;

import dev.flowstone.offheap.NativeCallException;
import dev.flowstone.offheap.ring.RingAppender;
import dev.flowstone.offheap.ring.RingSetWriter;
import dev.flowstone.tap.ThreadEnd;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * One start of a card's kernels and one incarnation of the ring files, which end together: so the
 * counters of both can be held against each other whenever one of them is left alone. One thread
 * runs it; any may stop it and ask for counters.
 */
final class CardRun {
  private static final long LOOK_MS = 100;

  /** What brought a run to its end. */
  enum End {
    /** Somebody asked for it. */
    STOPPED,
    /** A card without a cable has sent all that it was to send, and it is in the ring files. */
    SENT,
    /** A ring of the card stands still, and goes on after a new start. */
    STANDS_STILL,
    /** Somebody asked for other rings, which there are after a new start. */
    OUT_OF_SHAPE
  }

  private final Card card;
  private final CardShape shape;
  private final RingSetWriter files;
  private final CardLosses losses;
  private final Supplier<CardLimits> limits;
  private final Consumer<String> say;
  private final boolean mayWait;

  /** What others look at is published as a whole. */
  private volatile List<RingPump> pumps = List.of();

  private final List<RingAccount> accounts = new ArrayList<>();
  private final List<PumpLoop> loops = new ArrayList<>();
  private final List<Thread> threads = new ArrayList<>();
  private final AtomicReference<Throwable> failure = new AtomicReference<>();
  private final CountDownLatch wakeUp = new CountDownLatch(1);
  private final AtomicReference<CardRuleTable> newRules = new AtomicReference<>();
  private volatile End wanted = End.STOPPED;
  private RingAppender firstRing;
  private volatile CardWatch watch;

  CardRun(
      Card card,
      CardShape shape,
      RingSetWriter files,
      CardLosses losses,
      Supplier<CardLimits> limits,
      boolean mayWait,
      Consumer<String> say) {
    this.card = card;
    this.shape = shape;
    this.files = files;
    this.losses = losses;
    this.limits = limits;
    this.mayWait = mayWait;
    this.say = say;
  }

  /**
   * From the start of the kernels to the end of the ring files.
   *
   * @param started what is done between them, when packets may come
   * @throws CardException if the card cannot go on; the ring files have ended also then
   */
  End run(Runnable started) {
    start(started);
    End how = watchOn();
    boolean stopped = failure.get() == null && stopCard();
    if (failure.get() != null) {
      throw giveUp();
    }
    settle();
    files.end();
    if (!stopped) {
      throw new CardException(
          card.name()
              + ": its kernels hang; reset the card (xbutil reset), then start the tap again");
    }
    CardWatch.Seen seen = watch.latest();
    SourceCheck.require(card.name(), seen.sources(), seen.ports(), how == End.SENT);
    return how;
  }

  /** What fails here may leave kernels at work, and is an end like any other. */
  private void start(Runnable started) {
    CardRuleTable rules = newRules.getAndSet(null);
    try {
      card.start(shape, rules == null ? CardRuleTable.EMPTY : rules, CardRun::nowNs, limits);
      if (card.portOffsetNs() > 0) {
        say.accept(
            "%s: the clocks of its ports differ by %,d ns, because the host is busy; restart the tap"
                .formatted(card.name(), card.portOffsetNs()));
      }
      begin(nowNs());
      started.run();
      card.sources().start();
    } catch (RuntimeException | Error e) {
      fail(e);
    }
  }

  /** The host's clock. */
  static long nowNs() {
    Instant now = Instant.now();
    return TimeUnit.SECONDS.toNanos(now.getEpochSecond()) + now.getNano();
  }

  private void begin(long startNs) {
    firstRing = files.appender(0);
    List<RingPump> made = new ArrayList<>();
    for (CardRing ring : card.rings()) {
      RingAccount account = new RingAccount(losses);
      RingAppender file = ring.number() == 0 ? firstRing : files.appender(ring.number());
      RingPump pump = new RingPump(ring, file, account, shape, startNs);
      // Ring 0 tells what was lost of all, in the thread that fills it.
      PumpLoop loop =
          new PumpLoop(pump, mayWait, ring.number() == 0 ? () -> losses.tell(firstRing) : () -> {});
      accounts.add(account);
      made.add(pump);
      loops.add(loop);
    }
    pumps = List.copyOf(made);
    watch = new CardWatch(card, pumps, losses, limits, startNs);
    for (int ring = 0; ring < loops.size(); ring++) {
      PumpLoop loop = loops.get(ring);
      threads.add(Thread.ofPlatform().name("card-ring-" + ring).daemon().start(() -> pumpOn(loop)));
    }
  }

  private void pumpOn(PumpLoop loop) {
    try {
      loop.run();
    } catch (RuntimeException | Error e) {
      fail(e);
    }
  }

  private void fail(Throwable e) {
    if (!failure.compareAndSet(null, e)) {
      failure.get().addSuppressed(e);
    }
    wakeUp.countDown();
  }

  /** Looks on until there is an end to this, or something failed. */
  private End watchOn() {
    try {
      while (!awaitWakeUp()) {
        CardRuleTable rules = newRules.getAndSet(null);
        if (rules != null) {
          card.ports().forEach(rules::writeTo);
        }
        boolean haveSent = card.sources().haveEnded();
        watch.look(nowNs());
        if (watch.standsStill()) {
          return End.STANDS_STILL;
        }
        if (haveSent && watch.isDrained()) {
          return End.SENT;
        }
      }
    } catch (CardException | NativeCallException e) {
      fail(e);
    }
    return wanted;
  }

  /** Whether there is an end to this; waits until the next look. */
  private boolean awaitWakeUp() {
    try {
      return wakeUp.await(LOOK_MS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return true;
    }
  }

  /**
   * What sends first, so that ports and rings take all that is under way; then what is in the card.
   *
   * @return whether the kernels came to their end
   */
  private boolean stopCard() {
    try {
      CardLimits now = limits.get();
      boolean stopped = stopKernels(now.stop());
      if (!stopped) {
        say.accept(
            card.name()
                + ": the kernels do not stop: what they have shown by now is taken, the rest counts as lost");
      }
      long nowNs = System.nanoTime();
      loops.forEach(
          loop -> loop.finish(nowNs + now.fullRing().toNanos(), nowNs + now.drain().toNanos()));
      joinAll();
      if (failure.get() == null) {
        watch.lookOnce();
      }
      return stopped;
    } catch (CardException | NativeCallException e) {
      fail(e);
      return false;
    }
  }

  private boolean stopKernels(Duration limit) {
    boolean stopped = card.sources().stop(limit);
    stopped &= card.stopPorts(limit);
    stopped &= card.stopRings(limit);
    return stopped;
  }

  /** The rings end with what the card tells last, if it tells anything any more. */
  private CardException giveUp() {
    loops.forEach(PumpLoop::abandon);
    joinAll();
    Throwable cause = failure.get();
    stopWhatAnswers(cause);
    try {
      if (hasBegun()) {
        settle();
      }
      files.end();
    } catch (RuntimeException e) {
      cause.addSuppressed(e);
    }
    if (cause instanceof Error error) {
      // The rings themselves are lost, or there is no memory to go on with.
      throw error;
    }
    long left = losses.counts().get(CardLoss.LEFT_BEHIND);
    return new CardException(
        "%s: %s%s"
            .formatted(
                card.name(),
                cause.getMessage(),
                left == 0 ? "" : "; at least %,d packets were left in it".formatted(left)),
        cause);
  }

  /** Whether its rings are read; else it failed before. */
  private boolean hasBegun() {
    return watch != null;
  }

  /** So that nothing writes into memory that is given back, and all that came is told of. */
  private void stopWhatAnswers(Throwable cause) {
    try {
      card.kernelOfRings().requireAnswer();
      stopKernels(limits.get().stop());
      if (hasBegun()) {
        watch.lookOnce();
      }
    } catch (RuntimeException e) {
      cause.addSuppressed(e);
    }
  }

  /** Of each ring what it lacks; then what got lost between a port and a ring. */
  private void settle() {
    CardWatch.Seen seen = watch.latest();
    long takenPackets = 0;
    for (int ring = 0; ring < accounts.size(); ring++) {
      CardRingCounters counters = seen.rings().get(ring);
      RingAccount account = accounts.get(ring);
      if (counters.offeredPackets() >= account.takenPackets()) {
        account.settle(
            counters.offeredPackets(),
            counters.droppedPackets(),
            pumps.get(ring).timeNs(),
            CardLoss.LEFT_BEHIND);
      }
      takenPackets += account.takenPackets() - account.surplusPackets();
    }
    long came =
        seen.ports().stream()
            .mapToLong(port -> port.receivedPackets() - port.filteredPackets())
            .sum();
    long known = takenPackets + losses.sinceStart();
    losses.add(CardLoss.LEFT_BEHIND, came - known, pumps.getFirst().timeNs());
    losses.tell(firstRing);
  }

  private void joinAll() {
    threads.forEach(thread -> ThreadEnd.await(thread, () -> {}));
  }

  /** Has these rules written with the next look, or with the start. */
  void program(CardRuleTable rules) {
    newRules.set(rules);
  }

  CardShape shape() {
    return shape;
  }

  void stop() {
    wakeUp.countDown();
  }

  /** Comes to an end as by {@link #stop}, after which there is another run. */
  void makeWay() {
    wanted = End.OUT_OF_SHAPE;
    stop();
  }

  CardWatch.Seen seen() {
    CardWatch current = watch;
    return current == null ? CardWatch.Seen.NOTHING : current.latest();
  }

  List<PumpCounters> pumpCounters() {
    return pumps.stream().map(RingPump::counters).toList();
  }
}
