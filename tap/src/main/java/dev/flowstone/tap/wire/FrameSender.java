// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.wire;

import dev.flowstone.raw.PacketSource;
import dev.flowstone.raw.RawPacketBatch;
import dev.flowstone.tap.Pacer;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/**
 * What stands at the other end of an emulated card's wire: sends the frames of a source through a
 * pipe, each when it is due. It begins when somebody opens the pipe to read. Whoever started it
 * closes it.
 */
public final class FrameSender implements AutoCloseable {
  private static final long IDLE_NS = TimeUnit.MICROSECONDS.toNanos(100);

  /** Until the source is closed, which may write a file. */
  private static final Duration CLOSE_LIMIT = Duration.ofSeconds(5);

  private final Path pipe;
  private final Supplier<PacketSource> traffic;
  private final Supplier<Pacer> pace;
  private final Thread thread;
  private volatile Runnable begins = () -> {};
  private volatile boolean stopping;
  private volatile Optional<Throwable> failure = Optional.empty();

  private FrameSender(Path pipe, Supplier<PacketSource> traffic, Supplier<Pacer> pace) {
    this.pipe = pipe;
    this.traffic = traffic;
    this.pace = pace;
    thread = Thread.ofPlatform().daemon().name("wire-" + pipe.getFileName()).start(this::run);
  }

  /**
   * Starts one.
   *
   * @param traffic makes the source when the first frame is wanted
   */
  public static FrameSender start(Path pipe, Supplier<PacketSource> traffic, Supplier<Pacer> pace) {
    return new FrameSender(pipe, traffic, pace);
  }

  /** What is done when the source is there and its first frame is about to be sent; said before. */
  public void whenItBegins(Runnable action) {
    begins = action;
  }

  private void run() {
    try (FileChannel channel = FileChannel.open(pipe, StandardOpenOption.WRITE)) {
      if (!stopping) {
        send(channel);
      }
    } catch (IOException gone) {
      // The card has gone, or this was closed: whoever has the card tells it.
    } catch (RuntimeException | Error e) {
      failure = Optional.of(e);
    }
  }

  private void send(FileChannel channel) throws IOException {
    try (PacketSource source = traffic.get();
        RawPacketBatch batch = new RawPacketBatch(RawPacketBatch.DEFAULT_CAPACITY);
        PcapChannel pcap = new PcapChannel(channel)) {
      begins.run();
      Pacer pacer = pace.get();
      for (int count = source.fill(batch);
          count != PacketSource.END && !stopping;
          count = source.fill(batch)) {
        if (count == 0) {
          LockSupport.parkNanos(IDLE_NS);
        }
        for (int from = 0; from < count && !stopping; ) {
          int due = pacer.awaitDue(batch, from);
          pcap.write(batch, from, due);
          from += due;
        }
      }
    }
  }

  /** Whether it could not send all that it should have. */
  public boolean hasFailed() {
    return failure.isPresent();
  }

  /** Throws why it could not send all that it should have. */
  public void requireNoFailure() {
    failure.ifPresent(
        why -> {
          throw new IllegalStateException("traffic for a card's port cannot be made", why);
        });
  }

  @Override
  public void close() {
    stopping = true;
    thread.interrupt();
    // Nothing else wakes one that waits for a reader who never came.
    try (FileChannel _ =
        FileChannel.open(pipe, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      thread.join(CLOSE_LIMIT);
    } catch (IOException gone) {
      // Then it waits for nobody there.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
