// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.xrt;

import java.lang.foreign.MemorySegment;
import java.time.Duration;

/** A kernel from its start to its end. Closed by whoever made it, before its kernel. One thread. */
public final class XrtRun implements AutoCloseable {
  /** {@code ert_cmd_state} of XRT's {@code ert.h}. */
  private static final int COMPLETED = 4;

  private final XrtCalls calls;
  private final MemorySegment run;

  XrtRun(XrtCalls calls, MemorySegment run) {
    this.calls = calls;
    this.run = run;
  }

  public void set(int argument, XrtBuffer buffer) {
    calls.setBufferArgument(run, argument, buffer.handle());
  }

  public void set(int argument, int value) {
    calls.setIntArgument(run, argument, value);
  }

  public void start() {
    calls.startRun(run);
  }

  /** Waits for its end; false: it goes on after that time. */
  public boolean awaitEnd(Duration limit) {
    return calls.waitForRun(run, Math.toIntExact(limit.toMillis())) == COMPLETED;
  }

  @Override
  public void close() {
    calls.closeRun(run);
  }
}
