// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.card;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Looks at what the card counts beside its records, ten times a second: what the ports lost,
 * whether a ring stands still, whether the card is alive, how its clock goes. One thread looks; any
 * may ask what was seen last.
 */
final class CardWatch {
  private static final long CLOCK_NS = TimeUnit.SECONDS.toNanos(1);

  /**
   * What a look saw.
   *
   * @param sources of a card without a cable
   * @param clockOffsetNs how far the first port's clock was ahead of the host's
   */
  record Seen(
      List<PortCounters> ports,
      List<CardRingCounters> rings,
      List<CardSourceCounters> sources,
      long clockOffsetNs) {
    static final Seen NOTHING = new Seen(List.of(), List.of(), List.of(), 0);

    long overflowedPackets() {
      return ports.stream().mapToLong(PortCounters::overflowedPackets).sum();
    }

    long heads() {
      return rings.stream().mapToLong(CardRingCounters::headPosition).sum();
    }
  }

  private final Card card;
  private final CardLosses losses;
  private final Supplier<CardLimits> limits;
  private final CardClock clock;
  private volatile Seen latest;
  private long toldOverflowed;
  private long toldMisdirected;
  private long clockLookNs;

  /** So many free slots let a ring tell losses and the time, and more. */
  private static final long ROOM_SLOTS = 16;

  private final List<RingPump> pumps;
  private long movedCardNs;
  private long cardNs;
  private long goesOnHostNs = System.nanoTime();

  CardWatch(
      Card card,
      List<RingPump> pumps,
      CardLosses losses,
      Supplier<CardLimits> limits,
      long startNs) {
    this.card = card;
    this.pumps = pumps;
    this.losses = losses;
    this.limits = limits;
    clock = new CardClock(card.ports());
    cardNs = startNs;
    movedCardNs = startNs;
    clockLookNs = startNs;
    latest = see();
  }

  private Seen see() {
    return new Seen(
        card.ports().stream().map(CardPort::counters).toList(),
        card.rings().stream().map(CardRing::counters).toList(),
        card.sources().counters(),
        clock.offsetNs());
  }

  /**
   * @param hostNs the host's clock
   */
  void look(long hostNs) {
    Seen before = latest;
    Seen seen = lookOnce();
    requireAlive(card.ports().getFirst().timeNs(), seen.heads() > before.heads());
    if (hostNs - clockLookNs >= CLOCK_NS) {
      clockLookNs = hostNs;
      discipline();
    }
  }

  /**
   * Reads all counters once more, and tells what is lost by them; does not ask whether the card is
   * alive.
   *
   * @throws CardException if its registers do not answer; what was seen before stays
   */
  Seen lookOnce() {
    Seen seen = see();
    card.kernelOfRings().requireAnswer();
    latest = seen;
    tell(seen, card.ports().getFirst().timeNs());
    return seen;
  }

  /** Both clocks at the same moment, as near as that goes. */
  private void discipline() {
    long beforeNs = CardRun.nowNs();
    long cardNs = card.ports().getFirst().timeNs();
    long afterNs = CardRun.nowNs();
    clock.discipline(cardNs, beforeNs + (afterNs - beforeNs) / 2, afterNs - beforeNs);
  }

  private void requireAlive(long timeNs, boolean moves) {
    long nowNs = System.nanoTime();
    if (timeNs != cardNs) {
      goesOnHostNs = nowNs;
    }
    cardNs = timeNs;
    // Full rings, whose packets wait for readers, cannot tell the time.
    if (moves || !haveRoom()) {
      movedCardNs = timeNs;
    }
    Duration silence = limits.get().silence();
    if (nowNs - goesOnHostNs > silence.toNanos()) {
      throw new CardException(
          "its clock has stood still for %d s: the card is dead".formatted(silence.toSeconds()));
    }
    if (timeNs - movedCardNs > silence.toNanos()) {
      throw new CardException(
          "its rings have not been told the time for %d s: its kernels hang"
              .formatted(silence.toSeconds()));
    }
  }

  private boolean haveRoom() {
    for (int ring = 0; ring < pumps.size(); ring++) {
      long held = latest.rings().get(ring).headPosition() - pumps.get(ring).givenBackPosition();
      if (card.rings().get(ring).slotCount() - held >= ROOM_SLOTS) {
        return true;
      }
    }
    return false;
  }

  private void tell(Seen seen, long timeNs) {
    long overflowed = seen.overflowedPackets();
    losses.add(CardLoss.OVERFLOWED, overflowed - toldOverflowed, timeNs);
    toldOverflowed = overflowed;
    long misdirected = card.kernelOfRings().misdirectedPackets();
    losses.add(CardLoss.MISDIRECTED, misdirected - toldMisdirected, timeNs);
    toldMisdirected = misdirected;
  }

  /** Whether all that its rings showed at the latest look is in the ring files. */
  boolean isDrained() {
    for (int ring = 0; ring < pumps.size(); ring++) {
      if (pumps.get(ring).givenBackPosition() < latest.rings().get(ring).headPosition()) {
        return false;
      }
    }
    return true;
  }

  /** Whether the card's memory refused a write: then that ring's head stays where it is. */
  boolean standsStill() {
    return latest.rings().stream().anyMatch(CardRingCounters::writeFailed);
  }

  Seen latest() {
    return latest;
  }
}
