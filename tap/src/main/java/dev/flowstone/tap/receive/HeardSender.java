// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.receive;

import dev.flowstone.model.StreamNumber;
import dev.flowstone.tap.datagram.DatagramHeader;
import dev.flowstone.tap.datagram.SenderRun;
import java.lang.foreign.MemorySegment;

/**
 * A sender that is listened to.
 *
 * @param run its latest start
 * @param tap what the stream numbers of the rings that it reads have in common
 */
record HeardSender(SenderRun run, long tap) {
  /** Takes the place of a run that has ended. No run has this number, which is random. */
  static final long ENDED_RUN = 0;

  static HeardSender of(MemorySegment datagram) {
    return new HeardSender(
        new SenderRun(
            DatagramHeader.run(datagram, 0),
            DatagramHeader.runStartedNs(datagram, 0),
            DatagramHeader.reader(datagram, 0)),
        tap(datagram));
  }

  boolean isRunOf(MemorySegment datagram) {
    return DatagramHeader.run(datagram, 0) == run.id();
  }

  /** By the name under which it reads the same tap's rings, which no two can have at a time. */
  boolean isSenderOf(MemorySegment datagram) {
    return DatagramHeader.reader(datagram, 0) == run.reader() && tap(datagram) == tap;
  }

  private static long tap(MemorySegment datagram) {
    return StreamNumber.tap(DatagramHeader.stream(datagram, 0));
  }
}
