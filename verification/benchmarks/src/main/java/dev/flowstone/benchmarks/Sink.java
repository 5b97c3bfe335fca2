// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

/** Takes results nobody needs, so that the compiler cannot leave out the work behind them. */
final class Sink {
  @SuppressWarnings("unused") // written, never read: that is its purpose
  private static volatile long last;

  private Sink() {}

  static void take(long value) {
    last = value;
  }
}
