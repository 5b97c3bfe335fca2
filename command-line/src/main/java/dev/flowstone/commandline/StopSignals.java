// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.commandline;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.IntConsumer;

/**
 * Ctrl-C and its like as a wish, not as the end: were the JVM to go down, Flink's own shutdown
 * hooks would take the files away from a job that still has packets to deliver.
 */
public final class StopSignals {
  private static final int NONE = 0;
  private static final int INTERRUPT = 2;
  private static final int HANG_UP = 1;
  private static final int TERMINATE = 15;

  private record Caught(String name, int number) {}

  private static final List<Caught> CAUGHT =
      List.of(
          new Caught("INT", INTERRUPT), new Caught("TERM", TERMINATE), new Caught("HUP", HANG_UP));

  /** What shells add to a signal's number. */
  private static final int KILLED_BASE = 128;

  private static final Duration LOOK_INTERVAL = Duration.ofMillis(100);

  private final AtomicInteger received = new AtomicInteger(NONE);
  private final Consumer<String> say;
  private final IntConsumer giveUp;
  private volatile String words;

  private StopSignals(String words, Consumer<String> say, IntConsumer giveUp) {
    this.words = words;
    this.say = say;
    this.giveUp = giveUp;
  }

  /**
   * From now on the first of these signals only makes {@link #isStopping} true.
   *
   * @param words that the first was understood, and what comes now
   * @param say tells people these words
   * @param giveUp what any further one does; it is told the exit status
   */
  public static StopSignals listen(String words, Consumer<String> say, IntConsumer giveUp)
      throws ReflectiveOperationException {
    StopSignals signals = new StopSignals(words, say, giveUp);
    for (Caught signal : CAUGHT) {
      handle(signal.name(), () -> signals.receive(signal.number()));
    }
    return signals;
  }

  /** sun.misc.Signal has no successor, and javac lets nobody name it without a warning. */
  private static void handle(String name, Runnable action) throws ReflectiveOperationException {
    Class<?> signal = Class.forName("sun.misc.Signal");
    Class<?> handler = Class.forName("sun.misc.SignalHandler");
    Object handling =
        Proxy.newProxyInstance(
            StopSignals.class.getClassLoader(),
            new Class<?>[] {handler},
            (proxy, method, arguments) -> {
              action.run();
              return null;
            });
    signal
        .getMethod("handle", signal, handler)
        .invoke(null, signal.getConstructor(String.class).newInstance(name), handling);
  }

  private void receive(int number) {
    if (received.compareAndSet(NONE, number)) {
      say.accept(words);
    } else {
      giveUp.accept(exitStatus());
    }
  }

  /** Waits for another one, whatever came before. */
  public void awaitNext(String wordsThen) throws InterruptedException {
    words = wordsThen;
    received.set(NONE);
    while (!isStopping()) {
      Thread.sleep(LOOK_INTERVAL);
    }
  }

  public boolean isStopping() {
    return received.get() != NONE;
  }

  /** What a shell expects of a program that ended because of the signal. */
  public int exitStatus() {
    return KILLED_BASE + received.get();
  }
}
