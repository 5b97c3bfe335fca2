// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.xrt;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Memory of the card with as much of the host beside it. What one side writes the other has only
 * after a sync. Closed by whoever had it made, after the runs that use it; access to the host's
 * side throws then. Any thread may use it.
 */
@SuppressWarnings("restricted")
public final class XrtBuffer implements AutoCloseable {
  static final int TO_DEVICE = 0;
  static final int FROM_DEVICE = 1;

  private final XrtCalls calls;
  private final MemorySegment buffer;
  private final Arena arena = Arena.ofShared();
  private final MemorySegment host;

  XrtBuffer(XrtCalls calls, MemorySegment buffer) {
    this.calls = calls;
    this.buffer = buffer;
    try {
      host = calls.map(buffer).reinterpret(calls.size(buffer), arena, null);
    } catch (RuntimeException e) {
      close();
      throw e;
    }
  }

  MemorySegment handle() {
    return buffer;
  }

  /** The host's side. It is not zeroed: whatever was in memory before may look like a record. */
  public MemorySegment host() {
    return host;
  }

  /** Where it is in the card's memory. */
  public long address() {
    return calls.address(buffer);
  }

  /** Brings a part of the card's side to the host's. */
  public void fetch(long offsetBytes, long sizeBytes) {
    calls.sync(buffer, FROM_DEVICE, sizeBytes, offsetBytes);
  }

  /** Brings a part of the host's side to the card's. */
  public void send(long offsetBytes, long sizeBytes) {
    calls.sync(buffer, TO_DEVICE, sizeBytes, offsetBytes);
  }

  @Override
  public void close() {
    arena.close();
    calls.free(buffer);
  }
}
