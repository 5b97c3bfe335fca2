// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators;

/** Minutes pass between two looks at it: what was left alone for one is saved at the next. */
final class HastyClock implements Clock {
  private static final long serialVersionUID = 1L;
  private static final long STEP_NS = 60_000_000_000L;

  private long nowNs;

  @Override
  public long nowNs() {
    nowNs += STEP_NS;
    return nowNs;
  }
}
