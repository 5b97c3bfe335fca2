// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.xrt;

import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.HexFormat;

/**
 * An open card. Whoever opened it closes it, after all runs, buffers and kernels of it and before
 * the JVM ends: AMD's library aborts the process if a card is still open when its static objects
 * go.
 */
public final class XrtDevice implements AutoCloseable {
  private final XrtCalls calls;
  private final MemorySegment device;

  XrtDevice(XrtCalls calls, MemorySegment device) {
    this.calls = calls;
    this.device = device;
  }

  /** Makes the card what the file says. One that is that already goes on as it is. */
  public void load(Path xclbin) {
    calls.loadXclbin(device, xclbin.toAbsolutePath().toString());
  }

  /** Which xclbin the card is made of, as 32 hexadecimal digits. */
  public String uuid() {
    return HexFormat.of().formatHex(calls.xclbinUuid(device));
  }

  /**
   * Opens a kernel for this process alone, as its registers want. Whoever opens it closes it.
   *
   * @param name such as {@code ht_ring:{ht_ring_0}}
   */
  public XrtKernel open(String name) {
    return new XrtKernel(calls, name, calls.openKernel(device, calls.xclbinUuid(device), name));
  }

  /**
   * Memory of the card, and as much of the host. Whoever has it made closes it.
   *
   * @param group bank, as {@link XrtKernel#group} tells
   */
  public XrtBuffer allocate(long sizeBytes, int group) {
    return new XrtBuffer(calls, calls.allocate(device, sizeBytes, group));
  }

  @Override
  public void close() {
    calls.closeDevice(device);
  }
}
