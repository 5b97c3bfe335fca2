// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators;

/** A clock that only the test advances. */
final class ManualClock implements Clock {
  private static final long serialVersionUID = 1L;

  private long nowNs;

  void advanceMs(long milliseconds) {
    nowNs += milliseconds * 1_000_000;
  }

  @Override
  public long nowNs() {
    return nowNs;
  }
}
