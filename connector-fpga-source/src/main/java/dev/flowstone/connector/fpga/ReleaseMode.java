// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga;

/** When the source gives ring space back to the tap, if it holds any. */
public enum ReleaseMode {
  /**
   * When a checkpoint that holds the results completes: nothing is lost or repeated over a restart
   * while the ring has room for checkpoint interval, duration and restart. Without checkpointing
   * this becomes {@link #ON_READ}, with a warning.
   */
  ON_CHECKPOINT,
  /**
   * As soon as the block was processed: a small ring suffices, a restart loses what was in flight.
   */
  ON_READ,
  /**
   * The tap never waits: the source only observes, and counts as lost what was written over before
   * it came by. It copies each block, so that none changes under its readers.
   */
  OBSERVING
}
