// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.processes;

import java.util.Optional;

/**
 * How a process ended: by itself, or by a signal. A process that ends itself with a status above
 * 128 cannot be told from one that a signal ended; shells have the same trouble.
 *
 * @param status as {@link Process#exitValue} gives it
 */
public record ProcessEnd(int status) {
  /** What is added to a signal's number. */
  static final int KILLED_BASE = 128;

  public boolean isSuccess() {
    return status == 0;
  }

  /** The signal that ended it; empty: it ended by itself, or by a signal without a name here. */
  public Optional<Signal> signal() {
    return Signal.of(status - KILLED_BASE);
  }

  @Override
  public String toString() {
    return signal()
        .map(signal -> signal + " (" + signal.meaning() + ")")
        .orElse("exit status " + status);
  }
}
