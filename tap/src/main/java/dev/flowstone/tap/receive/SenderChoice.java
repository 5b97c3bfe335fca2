// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.receive;

import dev.flowstone.model.abi.DatagramFlag;
import dev.flowstone.model.abi.DatagramKind;
import dev.flowstone.tap.datagram.DatagramHeader;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Which sender is listened to. Without a key: the first one, until it leaves, stops sending, is
 * started again, or another one sends packets before it does. With a key: the run that started
 * last, because an earlier one may be a replay. One thread.
 */
final class SenderChoice {
  /** A sender says something each second. */
  static final long LONGEST_SILENCE_NS = TimeUnit.SECONDS.toNanos(10);

  /** What a datagram is. */
  enum Verdict {
    /** Of the run that is listened to. */
    CURRENT,
    /** Of a run that may be listened to from now on. */
    NEXT_RUN,
    /** Of a run that the one that is listened to has followed. */
    FORMER_RUN,
    /** Of somebody else. */
    OTHER_SENDER
  }

  /** Who was listened to last, be it by a former receiver. */
  private Optional<HeardSender> latest;

  /** Whether that one is listened to now. */
  private boolean isChosen;

  private final boolean hasKey;
  private boolean hasLeft;
  private boolean hasSentPackets;
  private boolean isTimed;
  private long chosenNs;
  private long heardNs;

  /**
   * @param former whom a former receiver listened to last: what was under way since then and is of
   *     an earlier run of that one would otherwise be taken for something new
   * @param hasKey whether all datagrams are authentic, though they may be replays
   */
  SenderChoice(Optional<HeardSender> former, boolean hasKey) {
    latest = former;
    this.hasKey = hasKey;
    hasLeft = true;
  }

  Verdict judge(MemorySegment memory, long nowNs) {
    if (!isTimed) {
      isTimed = true;
      heardNs = nowNs;
    }
    return latest.isEmpty() ? Verdict.NEXT_RUN : judge(latest.get(), memory, nowNs);
  }

  private Verdict judge(HeardSender sender, MemorySegment memory, long nowNs) {
    if (sender.isRunOf(memory)) {
      return isChosen ? Verdict.CURRENT : Verdict.NEXT_RUN;
    }
    boolean isSameSender = sender.isSenderOf(memory);
    boolean isLater = DatagramHeader.runStartedNs(memory, 0) > sender.run().startedNs();
    if (hasKey) {
      return judgeAuthentic(isSameSender, isLater, nowNs);
    }
    if (isLongSilent(nowNs)) {
      return Verdict.NEXT_RUN;
    }
    if (isSameSender) {
      return isLater ? Verdict.NEXT_RUN : Verdict.FORMER_RUN;
    }
    return hasLeft || mustYield(memory, nowNs) ? Verdict.NEXT_RUN : Verdict.OTHER_SENDER;
  }

  /** However long the latest run is silent: an attacker may replay what came before. */
  private Verdict judgeAuthentic(boolean isSameSender, boolean isLater, long nowNs) {
    if (isLater) {
      return Verdict.NEXT_RUN;
    }
    return isSameSender || isLongSilent(nowNs) ? Verdict.FORMER_RUN : Verdict.OTHER_SENDER;
  }

  /** A sender of hello alone, which anyone can forge, must not lock out a sender of packets. */
  private boolean mustYield(MemorySegment memory, long nowNs) {
    return !hasSentPackets
        && (DatagramHeader.kind(memory, 0) == DatagramKind.PACKETS
            || nowNs - chosenNs > LONGEST_SILENCE_NS);
  }

  /** From now on the run of this datagram is listened to. */
  HeardSender choose(MemorySegment memory, long nowNs) {
    HeardSender chosen = HeardSender.of(memory);
    latest = Optional.of(chosen);
    isChosen = true;
    hasLeft = false;
    hasSentPackets = false;
    chosenNs = nowNs;
    heardNs = nowNs;
    return chosen;
  }

  /** From now on no run is listened to: the rings are gone. */
  void leave() {
    isChosen = false;
    hasLeft = true;
  }

  /** A datagram of the run that is listened to came. */
  void heard(MemorySegment memory, long nowNs) {
    heardNs = nowNs;
    hasLeft |= DatagramHeader.has(memory, 0, DatagramFlag.SENDER_LEAVES);
    hasSentPackets |= DatagramHeader.kind(memory, 0) == DatagramKind.PACKETS;
  }

  boolean isSilent(long nowNs) {
    return isChosen && !hasLeft && isLongSilent(nowNs);
  }

  /** Returns whether the latest run sent nothing for {@link #LONGEST_SILENCE_NS}. */
  boolean isLongSilent(long nowNs) {
    return nowNs - heardNs > LONGEST_SILENCE_NS;
  }
}
