// SPDX-License-Identifier: Apache-2.0
package com.example;

import dev.flowstone.model.FlowTuple;
import java.time.Instant;

/** What one side of a conversation sent in one second. */
public record FlowSecond(long second, FlowTuple flow, long packets, long bytes) {
  @Override
  public String toString() {
    return Instant.ofEpochSecond(second) + "  " + flow + "  packets " + packets + "  bytes " + bytes;
  }
}
