// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.receive;

import dev.flowstone.model.abi.DatagramFlag;
import dev.flowstone.tap.datagram.DatagramHeader;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Which sender is listened to: the one that was heard first, until it says that it leaves, is
 * silent for long, or is started again. One thread.
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

  private boolean hasLeft;
  private boolean isTimed;
  private long heardNs;

  /**
   * @param former whom a former receiver listened to last: what was under way since then and is of
   *     an earlier run of that one would otherwise be taken for something new
   */
  SenderChoice(Optional<HeardSender> former) {
    latest = former;
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
    boolean isLongSilent = nowNs - heardNs > LONGEST_SILENCE_NS;
    if (sender.isSenderOf(memory)) {
      boolean isLater = DatagramHeader.runStartedNs(memory, 0) > sender.run().startedNs();
      return isLater || isLongSilent ? Verdict.NEXT_RUN : Verdict.FORMER_RUN;
    }
    return hasLeft || isLongSilent ? Verdict.NEXT_RUN : Verdict.OTHER_SENDER;
  }

  /** From now on the run of this datagram is listened to. */
  HeardSender choose(MemorySegment memory) {
    HeardSender chosen = HeardSender.of(memory);
    latest = Optional.of(chosen);
    isChosen = true;
    hasLeft = false;
    return chosen;
  }

  /** A datagram of the run that is listened to came. */
  void heard(MemorySegment memory, long nowNs) {
    heardNs = nowNs;
    hasLeft |= DatagramHeader.has(memory, 0, DatagramFlag.SENDER_LEAVES);
  }

  boolean isSilent(long nowNs) {
    return isChosen && !hasLeft && nowNs - heardNs > LONGEST_SILENCE_NS;
  }
}
