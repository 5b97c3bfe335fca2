// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.xrt;

import java.lang.foreign.MemorySegment;

/**
 * A kernel of the card that this process has to itself. Closed by whoever opened it, after its
 * runs. Any thread may read and write registers.
 */
public final class XrtKernel implements AutoCloseable {
  private final XrtCalls calls;
  private final String name;
  private final MemorySegment kernel;

  XrtKernel(XrtCalls calls, String name, MemorySegment kernel) {
    this.calls = calls;
    this.name = name;
    this.kernel = kernel;
  }

  public String name() {
    return name;
  }

  /** The bank that a buffer must be in to be that argument. */
  public int group(int argument) {
    return calls.argumentGroup(kernel, argument);
  }

  /** Where an argument's register is, as the xclbin says. */
  public int argumentOffset(int argument) {
    return calls.argumentOffset(kernel, argument);
  }

  /** A register of 32 bits. */
  public int read(long offset) {
    return calls.readRegister(kernel, (int) offset);
  }

  public void write(long offset, int value) {
    calls.writeRegister(kernel, (int) offset, value);
  }

  /** A run that has not begun. Whoever makes it closes it. */
  public XrtRun newRun() {
    return new XrtRun(calls, calls.openRun(kernel));
  }

  @Override
  public void close() {
    calls.closeKernel(kernel);
  }
}
