// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo.function;

/** Packets of one flow, each soon after the one before. */
record Run(long firstNs, long lastNs, long packets, long bytes) {
  Run with(long timeNs, int packetBytes) {
    return new Run(
        Math.min(firstNs, timeNs), Math.max(lastNs, timeNs), packets + 1, bytes + packetBytes);
  }
}
