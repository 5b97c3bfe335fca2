// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.card;

import dev.flowstone.offheap.xrt.XrtBuffer;
import dev.flowstone.offheap.xrt.XrtDevice;
import dev.flowstone.offheap.xrt.XrtKernel;
import dev.flowstone.offheap.xrt.XrtRun;
import java.time.Duration;
import java.util.Optional;

/**
 * The source of a port of a card without a cable, and the captures that it sends: into the card's
 * memory with each start of the card's kernels, and out of it. The card closes it. One thread.
 */
final class CardSource implements AutoCloseable {
  // Arguments by number, in the order of kernel.xml.
  static final int BASE_ADDRESS = 0;
  static final int UNITS = 1;
  static final int ROUNDS = 2;

  /** A wait of no time would be one without an end. */
  private static final Duration LOOK = Duration.ofMillis(1);

  private static final long PAGE_BYTES = 4096;

  private final XrtKernel handle;
  private final SourceKernel kernel;
  private final CardCapture capture;
  private final int rounds;
  private final int gapCycles;
  private Optional<XrtBuffer> memory = Optional.empty();
  private Optional<XrtRun> run = Optional.empty();
  private boolean hasEnded = true;

  CardSource(XrtKernel handle, SourceKernel kernel, CardFrames frames, int port) {
    this.handle = handle;
    this.kernel = kernel;
    capture = frames.ofPort(port);
    rounds = frames.rounds();
    gapCycles = frames.gapCycles();
  }

  XrtKernel handle() {
    return handle;
  }

  /** What it is, and how it is stopped where a former process started it. */
  SourceKernel kernel() {
    return kernel;
  }

  /** Puts the captures into the card's memory; it must not run. */
  void load(XrtDevice device) {
    if (capture.frames() == 0) {
      return;
    }
    XrtBuffer buffer = device.allocate(capture.sizeBytes(), handle.group(BASE_ADDRESS));
    memory = Optional.of(buffer);
    if (buffer.address() % PAGE_BYTES != 0) {
      throw new CardException(
          "%s: XRT gave memory at 0x%x, and the kernel reads from a multiple of %d on"
              .formatted(kernel.name(), buffer.address(), PAGE_BYTES));
    }
    capture.writeTo(buffer.host());
    buffer.send(0, capture.sizeBytes());
  }

  /** Sends them; its port must run. */
  void start() {
    if (memory.isEmpty()) {
      return;
    }
    kernel.setGap(gapCycles);
    XrtRun next = handle.newRun();
    run = Optional.of(next);
    next.set(BASE_ADDRESS, memory.get());
    next.set(UNITS, capture.units());
    next.set(ROUNDS, rounds);
    next.start();
    hasEnded = false;
  }

  /** Whether it sends nothing more, for one reason or another. */
  boolean hasEnded() {
    return awaitEnd(LOOK);
  }

  void askToStop() {
    if (!hasEnded) {
      kernel.askToStop();
    }
  }

  /** False: it goes on after that time. */
  boolean awaitEnd(Duration limit) {
    hasEnded = hasEnded || run.map(each -> each.awaitEnd(limit)).orElse(true);
    return hasEnded;
  }

  CardSourceCounters counters() {
    return run.isEmpty() ? CardSourceCounters.NOTHING : kernel.counters(wantedPackets());
  }

  private long wantedPackets() {
    return rounds == CardFrames.FOREVER
        ? CardSourceCounters.WITHOUT_END
        : Math.multiplyExact(capture.frames(), (long) rounds);
  }

  /** Gives back run and memory; it has ended. */
  void release() {
    run.ifPresent(XrtRun::close);
    run = Optional.empty();
    memory.ifPresent(XrtBuffer::close);
    memory = Optional.empty();
    hasEnded = true;
  }

  @Override
  public void close() {
    try {
      release();
    } finally {
      handle.close();
    }
  }
}
