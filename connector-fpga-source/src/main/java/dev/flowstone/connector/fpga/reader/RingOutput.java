// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.reader;

import dev.flowstone.connector.fpga.FpgaSourceOptions;
import dev.flowstone.connector.fpga.rings.OpenRing;
import dev.flowstone.connector.fpga.rings.RingName;
import dev.flowstone.connector.fpga.rings.RingRun;
import dev.flowstone.model.KeyGroups;
import dev.flowstone.model.PacketLoss;
import dev.flowstone.offheap.ring.RingIdentity;
import dev.flowstone.offheap.ring.RingTime;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.api.connector.source.SourceOutput;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What leaves the source of one ring: its packets, its losses, each with a date, and its time. One
 * thread.
 */
final class RingOutput<T> {
  private static final Logger LOG = LoggerFactory.getLogger(RingOutput.class);

  private final String splitId;
  private final RingName name;
  private final boolean verifiesKeyGroups;
  private final boolean requiresOwnKeyGroups;
  private final RunEmitter<T> emitter;
  private final RingMetrics metrics;
  private final SplitClock clock;
  private final RareWarning strays = new RareWarning(LOG);
  private SourceOutput<T> output;

  RingOutput(
      String splitId,
      RingName name,
      FpgaSourceOptions options,
      RunEmitter<T> emitter,
      RingMetrics metrics) {
    this.splitId = splitId;
    this.name = name;
    this.verifiesKeyGroups = options.verifyKeyGroups();
    this.requiresOwnKeyGroups = options.requireOwnKeyGroups();
    this.emitter = emitter;
    this.metrics = metrics;
    this.clock = SplitClock.of(options);
  }

  /** From here on the task's time waits for this ring's. */
  void join(ReaderOutput<T> task) {
    if (output == null) {
      output = task.createOutputForSplit(splitId);
    }
  }

  void emit(OpenRing ring, RingRun run, long nowNs) {
    metrics.read(run.count());
    PacketLoss loss = ring.takeUnreportedLoss();
    if (verifiesKeyGroups) {
      int keyGroup = emitter.strayKeyGroup(ring.identity(), run);
      if (keyGroup != RunEmitter.NOT_STRAY) {
        countStray(ring.identity(), run, keyGroup, nowNs);
      }
    }
    clock.packets(output);
    int elements = emitter.emit(ring.identity(), run, loss, output);
    metrics.emitted(elements, run.count(), loss);
  }

  private void countStray(RingIdentity ring, RingRun run, int keyGroup, long nowNs) {
    metrics.keyGroupMismatches.inc();
    if (requiresOwnKeyGroups) {
      throw new IllegalStateException(
          String.format(
              "%s: the packet at position %d of ring %d of %d is of key group %d of %d, which Flink's assignment"
                  + " puts into ring %d: operators by flow would be wrong. Let the tap's rings, or the card's"
                  + " key-group table, be those of this release; or choose FlowExchange.ALWAYS",
              name,
              run.position(),
              ring.ring(),
              ring.ringCount(),
              keyGroup,
              ring.maxParallelism(),
              KeyGroups.subtask(keyGroup, ring.maxParallelism(), ring.ringCount())));
    }
    strays.warn(
        nowNs,
        "{}: the packet at position {} belongs into another ring by Flink's key groups: results by"
            + " key are wrong; run tap and job from the same release",
        name,
        run.position());
  }

  /** A reader that has just come to an incarnation knows of losses before it knows the time. */
  void emitDatedLoss(OpenRing ring) {
    RingTime time = ring.time();
    if (time.isKnown()) {
      emitLoss(ring, time.baseNs());
    }
  }

  /**
   * A ring that never told a time ends with the latest one before it, or with that of its making.
   */
  void emitLastLoss(OpenRing ring) {
    RingTime time = ring.time();
    emitLoss(ring, time.baseNs() == RingTime.NEVER ? ring.identity().createdNs() : time.baseNs());
  }

  private void emitLoss(OpenRing ring, long timeNs) {
    PacketLoss loss = ring.takeUnreportedLoss();
    if (!loss.isNone()) {
      emitter.emitLoss(ring.progress(), loss, timeNs, output);
      metrics.emitted(1, 0, loss);
    }
  }

  /** A time that is not to be trusted may lie years ahead: watermarks do not follow it. */
  void tellTime(OpenRing ring) {
    RingTime time = ring.time();
    if (time.isTrusted()) {
      clock.told(output, time.baseNs());
    }
  }

  /** The time that a ring is resumed with: what was late before a restart is late after it. */
  void tellTimeBefore(OpenRing ring) {
    if (ring.time().baseNs() != RingTime.NEVER) {
      tellTime(ring);
    }
  }

  /** There is nothing to read. */
  void nothing(long nowNs) {
    clock.nothing(output, nowNs);
  }

  /** The ring said its last word; its tap may be started again. */
  void ended(OpenRing ring, long nowNs) {
    RingTime time = ring.time();
    if (time.isKnown() && time.isTrusted()) {
      clock.ended(output, time.baseNs());
    } else {
      clock.nothing(output, nowNs);
    }
  }

  /** Nothing more will ever come. */
  void finished() {
    clock.finished(output);
  }
}
