// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.processes;

import java.io.IOException;

/** A child is gone that was still wanted; the message says how it ended and why. */
public final class ChildEndedException extends IOException {
  private static final long serialVersionUID = 1L;

  private final boolean saidWhy;

  ChildEndedException(String message, boolean saidWhy) {
    super(message);
    this.saidWhy = saidWhy;
  }

  /** Whether the message holds the child's own words, so that its files add nothing to them. */
  public boolean hasSaidWhy() {
    return saidWhy;
  }
}
