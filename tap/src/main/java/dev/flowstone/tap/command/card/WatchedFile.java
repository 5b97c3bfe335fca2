// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.command.card;

import dev.flowstone.offheap.Reason;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.function.Consumer;

/**
 * A file that is looked at once a second: what is good of it and stood there twice is taken, what
 * is not good is said, and what was taken before stays. Whoever follows it closes it.
 *
 * @param <T> what it says
 */
final class WatchedFile<T> implements AutoCloseable {
  private static final long LOOK_MS = 1_000;

  /** Reads what a file says; throws what is wrong with it. */
  interface Format<T> {
    T parse(byte[] text, Path file);
  }

  private final Path file;
  private final String content;
  private final Format<T> format;
  private byte[] text = {};
  private byte[] latest = {};
  private Thread thread = Thread.ofPlatform().unstarted(() -> {});

  /**
   * @param content what is in it, for people
   */
  WatchedFile(Path file, String content, Format<T> format) {
    this.file = file;
    this.content = content;
    this.format = format;
  }

  /** For the first time; throws what is wrong with it. */
  T read() {
    try {
      text = Files.readAllBytes(file);
      latest = text;
    } catch (IOException e) {
      throw new UncheckedIOException(
          "%s: cannot read the %s: %s".formatted(file, content, Reason.of(e)), e);
    }
    return format.parse(text, file);
  }

  /** From now on whoever takes it gets what is new since it was read. */
  void follow(Consumer<T> taker) {
    thread =
        Thread.ofPlatform()
            .name("tap-" + content.replace(' ', '-'))
            .daemon()
            .start(() -> watch(taker));
  }

  private void watch(Consumer<T> taker) {
    try {
      while (true) {
        Thread.sleep(LOOK_MS);
        look(taker);
      }
    } catch (InterruptedException closed) {
      // The cards are stopped.
    }
  }

  void look(Consumer<T> taker) {
    try {
      byte[] former = latest;
      latest = Files.readAllBytes(file);
      // It may be half written: the next look tells.
      if (Arrays.equals(latest, former) && !Arrays.equals(latest, text)) {
        text = latest;
        taker.accept(format.parse(text, file));
      }
    } catch (IOException beingReplaced) {
      // The next look finds it.
    } catch (RuntimeException e) {
      CardCommand.say(
          "%s\n%s: the %s before stay in force".formatted(e.getMessage(), file, content));
    }
  }

  @Override
  public void close() {
    thread.interrupt();
  }
}
