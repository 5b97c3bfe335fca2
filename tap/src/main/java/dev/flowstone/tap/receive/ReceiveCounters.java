// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.receive;

import dev.flowstone.tap.datagram.Refusal;
import java.util.List;
import java.util.Map;

/**
 * What a receiver has done so far. Datagrams: received = used + refused + waiting. Packets of a
 * ring: what the sender's was offered since it was followed = packets + lost, losses before the
 * sender's tap apart.
 *
 * @param datagrams received, whatever they were
 * @param bytes in these
 * @param refused datagrams by reason
 * @param runs of senders that were listened to
 */
public record ReceiveCounters(
    long datagrams, long bytes, Map<Refusal, Long> refused, long runs, List<OfRing> rings) {
  /**
   * Of one ring.
   *
   * @param packets handed to the ring, which wrote or dropped them
   * @param repeated packets that a sender that was started again had sent before
   * @param lost packets by cause, as told in ring 0
   * @param missingDatagrams between others, that did not come in time
   * @param waitingDatagrams that wait for others before them
   * @param beforeStart packets that the sender's ring was offered before there was a sender
   * @param missedUnknown times that nobody knew how many packets were missed
   */
  public record OfRing(
      long packets,
      long repeated,
      Map<LossCause, Long> lost,
      long missingDatagrams,
      int waitingDatagrams,
      long beforeStart,
      long missedUnknown) {

    /** Whatever the cause. */
    public long lostPackets() {
      return lost.values().stream().mapToLong(Long::longValue).sum();
    }
  }

  /** Datagrams that wait for others before them. */
  public long waiting() {
    return rings.stream().mapToLong(OfRing::waitingDatagrams).sum();
  }

  /** Datagrams that were refused, whatever the reason. */
  public long allRefused() {
    return refused.values().stream().mapToLong(Long::longValue).sum();
  }

  /** Packets handed to rings. */
  public long packets() {
    return rings.stream().mapToLong(OfRing::packets).sum();
  }

  /** Packets told as lost. */
  public long lostPackets() {
    return rings.stream().mapToLong(OfRing::lostPackets).sum();
  }
}
