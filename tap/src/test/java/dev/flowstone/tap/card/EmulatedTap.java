// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.card;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.offheap.ring.RingCounters;
import dev.flowstone.offheap.ring.RingFile;
import dev.flowstone.offheap.ring.RingFileException;
import dev.flowstone.offheap.ring.RingLineage;
import dev.flowstone.processes.ChildProcess;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/** An emulated card, and taps on it one after the other. */
final class EmulatedTap implements AutoCloseable {
  private static final long LIMIT_NS = 60_000_000_000L;
  private static final long POLL_MS = 5;

  private final CardLane lane;
  final Emulator emulator;
  final ChildProcess process;
  final MadeFiles files;
  final List<String> said = new ArrayList<>();
  volatile CardTap tap;
  CardRuleTable rules = CardRuleTable.EMPTY;

  /** What a card without a cable is to send; its options say that it is one. */
  CardFrames frames = CardFrames.NONE;

  /** The limits of taps that start from now on. */
  CardLimits limits = CardLimits.DEFAULT;

  private CompletableFuture<Void> running;

  /**
   * @param lane that the taps go to the card by
   * @param options of the card
   */
  EmulatedTap(CardLane lane, Path folder, String engine, String... options)
      throws IOException, InterruptedException {
    this.lane = lane;
    emulator = new Emulator(BuiltEmulator.programs(), folder.resolve("cards"));
    lane.library(emulator); // or this is skipped
    process = emulator.start(0, engine, List.of(options));
    files = new MadeFiles(folder.resolve("rings"));
  }

  /** With Flowstone's library. */
  EmulatedTap(Path folder, String engine, String... options)
      throws IOException, InterruptedException {
    this(CardLane.FLOWSTONE, folder, engine, options);
  }

  Card openCard() {
    return Card.open(lane.library(emulator), new CardAddress.ByNumber(0), xclbin(), frames);
  }

  private Path xclbin() {
    return frames.areSent() ? emulator.cablelessXclbin() : emulator.xclbin();
  }

  /** Starts a tap; it goes on until it is stopped, or fails. */
  EmulatedTap start() {
    return start(() -> {});
  }

  /** Starts one that fails when its kernels are at work. */
  EmulatedTap startThatFails(RuntimeException why) {
    return start(
        () -> {
          throw why;
        });
  }

  private EmulatedTap start(Runnable whenStarted) {
    tap = null;
    running =
        CompletableFuture.runAsync(
            () -> {
              try (Card card = openCard()) {
                tap = newTap(card);
                tap.whenStarted(whenStarted);
                tap.run();
              }
            },
            task -> Thread.ofPlatform().start(task));
    return this;
  }

  private CardTap newTap(Card card) {
    CardTap made = new CardTap(card, MadeFiles.SHAPE, files, rules, true, said::add);
    made.limit(limits);
    return made;
  }

  /**
   * Waits until the tap has started the kernels so many times: one that is stopped as soon as the
   * feed is over may not have looked at a busy machine's card in between.
   */
  void awaitStarts(int starts) throws Exception {
    await(() -> running.isDone() || (tap != null && tap.counters().starts() == starts));
  }

  /** Waits until the tap has written so many packets to its ring files. */
  void awaitPackets(long packets) throws Exception {
    await(() -> running.isDone() || (tap != null && tap.counters().packets() >= packets));
    assertThat(running).isNotDone();
  }

  /** Waits until the card has committed a fault. */
  void awaitFault(String kind) throws Exception {
    await(() -> stateNumber("fault." + kind) > 0 && tap != null);
  }

  /**
   * Waits until the tap has read the card's counters twice, of which each poll makes a new list:
   * the first one of these polls is then complete.
   */
  @SuppressWarnings("ReferenceEquality")
  void awaitTwoPolls() throws Exception {
    for (int poll = 0; poll < 2; poll++) {
      List<PortCounters> seen = tap.counters().ports();
      await(() -> running.isDone() || tap.counters().ports() != seen);
    }
  }

  /** Waits until all of the feed has come to the card, then stops the tap. */
  CardCounters finish() throws Exception {
    await(() -> state("port-0.over").equals("true") || running.isDone());
    return stop();
  }

  CardCounters stop() throws Exception {
    await(() -> tap != null || running.isDone());
    if (tap != null) {
      tap.stop();
    }
    try {
      running.get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RuntimeException failed) {
        throw failed;
      }
      throw new AssertionError(e);
    }
    return tap.counters();
  }

  boolean isRunning() {
    return !running.isDone();
  }

  /** Waits for the tap's failure. */
  Throwable failure() throws InterruptedException {
    try {
      running.get();
      throw new AssertionError("the tap did not fail");
    } catch (ExecutionException e) {
      return e.getCause();
    }
  }

  interface Condition {
    boolean holds() throws Exception;
  }

  static void await(Condition condition) throws Exception {
    long beganNs = System.nanoTime();
    while (!condition.holds()) {
      assertThat(System.nanoTime() - beganNs).as("time waited").isLessThan(LIMIT_NS);
      Thread.sleep(POLL_MS);
    }
  }

  /** What the card says of itself; empty before it has said anything. */
  String state(String name) {
    Properties state = new Properties();
    Path file = emulator.cards().resolve("card-0.state");
    if (Files.exists(file)) {
      try (Reader reader = Files.newBufferedReader(file)) {
        state.load(reader);
      } catch (IOException replacedJustNow) {
        return "";
      }
    }
    return state.getProperty(name, "");
  }

  /** Zero before it has said anything. */
  long stateNumber(String name) {
    String said = state(name);
    return said.isEmpty() ? 0 : Long.parseLong(said);
  }

  /** Packets that the ring files of all starts tell of, as offered or as lost before the tap. */
  long toldPackets() {
    return toldPackets(MadeFiles.SHAPE.ringCount());
  }

  /** The same where the latest start has so many of them, and none before had more. */
  long toldPackets(int rings) {
    long told = 0;
    for (int ring = 0; ring < rings; ring++) {
      try (RingFile file = RingFile.open(files.directory().ringFile(ring))) {
        RingCounters counters = file.counters();
        told += counters.offeredPackets() + counters.lostBeforeTap();
        for (RingLineage.Ancestor ancestor : file.lineage().ancestors()) {
          told += ancestor.offeredPackets() + ancestor.lostBeforeTap();
        }
      }
    }
    return told;
  }

  /** A tap has made them. */
  boolean areFilesThere() {
    try {
      RingFile.open(files.directory().ringFile(MadeFiles.SHAPE.ringCount() - 1)).close();
      return tap != null;
    } catch (RingFileException notYet) {
      return false;
    }
  }

  /** Nothing more will come, as the files say. */
  boolean areFilesEnded() {
    for (int ring = 0; ring < MadeFiles.SHAPE.ringCount(); ring++) {
      try (RingFile file = RingFile.open(files.directory().ringFile(ring))) {
        if (!file.isEnded()) {
          return false;
        }
      }
    }
    return true;
  }

  @Override
  public void close() {
    process.close();
    files.close();
  }
}
