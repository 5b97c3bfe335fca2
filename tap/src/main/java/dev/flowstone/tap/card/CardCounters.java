// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.card;

import java.util.List;
import java.util.Map;

/**
 * What a card and its tap counted since the kernels were started. At the end, after one start and
 * no former tap: received of all ports = filtered + packets of all rings + losses - surplus.
 *
 * @param card its name
 * @param starts how often the kernels were started by this tap
 * @param sources of a card without a cable; of others none
 * @param losses told before the tap, of all starts and of a former tap
 * @param clockOffsetNs how far the card's clock is ahead of the host's
 */
public record CardCounters(
    String card,
    int starts,
    List<PortCounters> ports,
    List<CardRingCounters> rings,
    List<PumpCounters> pumps,
    List<CardSourceCounters> sources,
    Map<CardLoss, Long> losses,
    long clockOffsetNs) {

  public long receivedPackets() {
    return ports.stream().mapToLong(PortCounters::receivedPackets).sum();
  }

  public long filteredPackets() {
    return ports.stream().mapToLong(PortCounters::filteredPackets).sum();
  }

  /** Packets that went on to the ring files. */
  public long packets() {
    return pumps.stream().mapToLong(PumpCounters::packets).sum();
  }

  public long lostPackets() {
    return losses.values().stream().mapToLong(Long::longValue).sum();
  }

  public long surplusPackets() {
    return pumps.stream().mapToLong(PumpCounters::surplusPackets).sum();
  }
}
