// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.reader;

import dev.flowstone.connector.fpga.rings.RingRun;
import dev.flowstone.model.PacketLoss;
import dev.flowstone.offheap.ring.RingIdentity;
import dev.flowstone.offheap.ring.RingProgress;
import org.apache.flink.api.connector.source.SourceOutput;

/**
 * Makes stream elements of a run, any number of them, each with its own event time: the one part of
 * the reader that knows what a ring's slots hold. One instance per ring; one thread.
 *
 * @param <T> what operators get
 */
interface RunEmitter<T> {

  /**
   * Emits the run's entries; what was lost before them is told exactly once.
   *
   * @return how many elements went out
   */
  int emit(RingIdentity ring, RingRun run, PacketLoss lossBefore, SourceOutput<T> output);

  /**
   * Tells of losses that no packet followed.
   *
   * @param timeNs event time of the news, UTC nanoseconds
   */
  void emitLoss(RingProgress at, PacketLoss loss, long timeNs, SourceOutput<T> output);

  /** The run's first packet belongs into its ring. */
  int NOT_STRAY = -1;

  /** The key group of the run's first packet if it belongs into another ring, or NOT_STRAY. */
  int strayKeyGroup(RingIdentity ring, RingRun run);

  /** Makes the emitter of one stream. */
  interface Factory<T> {
    RunEmitter<T> forStream(long stream);
  }
}
