// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.receive;

import dev.flowstone.model.StreamNumber;
import dev.flowstone.offheap.ring.RingSetWriter;
import dev.flowstone.tap.SocketAddresses;
import dev.flowstone.tap.datagram.DatagramBuffer;
import dev.flowstone.tap.datagram.DatagramCheck;
import dev.flowstone.tap.datagram.DatagramHeader;
import dev.flowstone.tap.datagram.Refusal;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;

/**
 * What a receiver does with datagrams, wherever they come from: checks them, listens to one sender,
 * makes rings like that one's and fills them. Every datagram is used or counted as refused. A
 * failure to make rings is reported and counted, not thrown. Closed by whoever made it; one thread,
 * any may ask for counters.
 */
public final class Reception implements AutoCloseable {
  private static final Optional<Refusal> ACCEPTED = Optional.empty();
  private static final Optional<Refusal> ARRANGEMENT = Optional.of(Refusal.ARRANGEMENT);
  private static final Optional<Refusal> CONTENT = Optional.of(Refusal.CONTENT);
  private static final Optional<Refusal> FORMER_RUN = Optional.of(Refusal.FORMER_RUN);
  private static final Optional<Refusal> OTHER_SENDER = Optional.of(Refusal.OTHER_SENDER);
  private static final Optional<Refusal> RINGS_UNAVAILABLE = Optional.of(Refusal.RINGS_UNAVAILABLE);
  private static final Optional<Refusal> TOO_MANY_RINGS = Optional.of(Refusal.TOO_MANY_RINGS);

  private final Path folder;
  private final ReceiveOptions options;
  private final Consumer<String> say;
  private final RareLines rareLines;
  private final DatagramCheck check;
  private final BoundedRingMaker ringMaker;
  private final SenderChoice senders;
  private boolean saidSilent;

  private final LongAdder datagrams = new LongAdder();
  private final LongAdder bytes = new LongAdder();
  private final LongAdder runs = new LongAdder();
  private final Map<Refusal, LongAdder> refused = new EnumMap<>(Refusal.class);
  private volatile ReceivedRings rings;

  /**
   * @param say takes lines for people
   * @param made receives the rings whenever they are made
   */
  public Reception(
      RingMaker maker, ReceiveOptions options, Consumer<String> say, Consumer<RingSetWriter> made) {
    this.options = options;
    this.say = say;
    folder = maker.directory().path();
    rareLines = new RareLines(say);
    check = new DatagramCheck(options.key());
    ringMaker = new BoundedRingMaker(maker, options, say, made, rareLines);
    senders = new SenderChoice(FormerBooks.read(folder).sender(), options.key().isPresent());
    for (Refusal reason : Refusal.values()) {
      refused.put(reason, new LongAdder());
    }
  }

  /**
   * Takes the first bytes of a buffer as a datagram.
   *
   * @param from where it came from, for people
   */
  public void accept(DatagramBuffer buffer, int lengthBytes, InetSocketAddress from, long nowNs) {
    count(lengthBytes);
    Optional<Refusal> fault = check.fault(buffer, lengthBytes);
    if (fault.isEmpty()) {
      fault = take(buffer.memory(), lengthBytes, from, nowNs);
    } else {
      reportTag(fault.get(), from, nowNs);
    }
    if (fault.isPresent()) {
      refused.get(fault.get()).increment();
    }
  }

  private void reportTag(Refusal fault, InetSocketAddress from, long nowNs) {
    if (fault == Refusal.UNAUTHENTICATED) {
      rareLines.say(
          RareLines.Kind.TAG,
          nowNs,
          () ->
              SocketAddresses.text(from)
                  + ": rejected datagram without a valid tag; tap forward requires the same --key-file");
    } else if (fault == Refusal.NO_KEY) {
      rareLines.say(
          RareLines.Kind.TAG,
          nowNs,
          () ->
              SocketAddresses.text(from)
                  + ": rejected datagram with a tag; tap receive requires the --key-file of the sender");
    }
  }

  /** Counts a datagram that somebody else has refused. */
  public void refuse(int lengthBytes, Refusal reason) {
    count(lengthBytes);
    refused.get(reason).increment();
  }

  private void count(int lengthBytes) {
    datagrams.increment();
    bytes.add(lengthBytes);
  }

  private Optional<Refusal> take(
      MemorySegment memory, int lengthBytes, InetSocketAddress from, long nowNs) {
    Optional<Refusal> unwanted =
        switch (senders.judge(memory, nowNs)) {
          case CURRENT -> rings.arrangement().isOf(memory) ? ACCEPTED : CONTENT;
          case NEXT_RUN -> begin(memory, from, nowNs);
          case FORMER_RUN -> refuseFormer(memory, from, nowNs);
          case OTHER_SENDER -> refuseOther(memory, from, nowNs);
        };
    if (unwanted.isEmpty()) {
      unwanted = rings.offer(memory, lengthBytes, nowNs);
    }
    if (unwanted.isEmpty()) {
      hear(memory, nowNs);
    }
    return unwanted;
  }

  /** Only for datagrams that are used: replays do not show that the sender is running. */
  private void hear(MemorySegment memory, long nowNs) {
    senders.heard(memory, nowNs);
    if (saidSilent) {
      saidSilent = false;
      say.accept("the sender is heard again");
    }
  }

  private Optional<Refusal> begin(MemorySegment memory, InetSocketAddress from, long nowNs) {
    RingArrangement wanted = RingArrangement.of(memory);
    Optional<Refusal> unfit = prepareRings(wanted, from, nowNs);
    if (unfit.isPresent()) {
      return unfit;
    }
    rings.beginRun(senders.choose(memory, nowNs));
    runs.increment();
    saidSilent = false;
    rareLines.say(
        RareLines.Kind.RUN,
        nowNs,
        () ->
            "receives from "
                + SocketAddresses.text(from)
                + ": run "
                + StreamNumber.text(DatagramHeader.run(memory, 0))
                + " of a sender with "
                + wanted);
    return ACCEPTED;
  }

  /**
   * Has rings of an arrangement, or returns why not. Rings without packets are replaced by others:
   * the sender for which they were made may be forged.
   */
  private Optional<Refusal> prepareRings(
      RingArrangement wanted, InetSocketAddress from, long nowNs) {
    if (rings != null && rings.arrangement().equals(wanted)) {
      return ACCEPTED;
    }
    if (wanted.ringCount() > options.maxRings()) {
      rareLines.say(RareLines.Kind.RING_COUNT, nowNs, () -> tooMany(wanted, from));
      return TOO_MANY_RINGS;
    }
    if ((rings != null && rings.hasPackets()) || !wanted.hasUsualKeyGroups()) {
      rareLines.say(RareLines.Kind.ARRANGEMENT, nowNs, () -> unlike(wanted, from));
      return ARRANGEMENT;
    }
    if (ringMaker.isPaused(nowNs)) {
      return RINGS_UNAVAILABLE;
    }
    discardRings();
    rings = ringMaker.make(wanted, nowNs).orElse(null);
    return rings == null ? RINGS_UNAVAILABLE : ACCEPTED;
  }

  private void discardRings() {
    ReceivedRings former = rings;
    if (former != null) {
      rings = null;
      senders.leave();
      ringMaker.discard(former);
    }
  }

  private String tooMany(RingArrangement wanted, InetSocketAddress from) {
    return SocketAddresses.text(from)
        + ": rejected sender of "
        + wanted.ringCount()
        + " rings; at most "
        + options.maxRings()
        + " with this --max-rings";
  }

  private String unlike(RingArrangement wanted, InetSocketAddress from) {
    return SocketAddresses.text(from)
        + " sends of "
        + wanted
        + (wanted.hasUsualKeyGroups() ? "" : " in an order of their own")
        + (rings == null
            ? ", for which no rings can be made"
            : ", but the rings here are " + rings.arrangement() + ": start tap receive again");
  }

  /** Reports it only if the latest run sends nothing: after a restart, some are still under way. */
  private Optional<Refusal> refuseFormer(MemorySegment memory, InetSocketAddress from, long nowNs) {
    if (senders.isLongSilent(nowNs)) {
      rareLines.say(RareLines.Kind.FORMER_RUN, nowNs, () -> replayed(memory, from));
    }
    return FORMER_RUN;
  }

  private String replayed(MemorySegment memory, InetSocketAddress from) {
    return SocketAddresses.text(from)
        + ": rejected run "
        + StreamNumber.text(DatagramHeader.run(memory, 0))
        + ", which started before the latest; if the sender's clock was set back, remove "
        + ReceivedBooks.path(folder)
        + " and restart tap receive";
  }

  private Optional<Refusal> refuseOther(MemorySegment memory, InetSocketAddress from, long nowNs) {
    rareLines.say(
        RareLines.Kind.OTHER_SENDER,
        nowNs,
        () ->
            "another sender, run "
                + StreamNumber.text(DatagramHeader.run(memory, 0))
                + " at "
                + SocketAddresses.text(from)
                + ", sends here as well and is refused: give each sender a receiver of its own (another"
                + " --listen and --rings)");
    return OTHER_SENDER;
  }

  /** Looks what has waited long enough, and whether the sender is silent. */
  public void lookAtTime(long nowNs) {
    if (rings != null) {
      rings.lookAtTime(nowNs);
      if (!saidSilent && senders.isSilent(nowNs)) {
        saidSilent = true;
        say.accept(
            "nothing was heard of the sender for "
                + SenderChoice.LONGEST_SILENCE_NS / 1_000_000_000
                + " s; what it sent meanwhile is told as lost when it is heard again");
      }
    }
  }

  /** Whether the sender said that nothing more comes of any ring. */
  public boolean isEnded() {
    return rings != null && rings.isEnded();
  }

  /** Nothing comes any more: says so in the rings. */
  public void end() {
    if (rings != null) {
      rings.end();
    }
  }

  public ReceiveCounters counters() {
    ReceivedRings there = rings;
    Map<Refusal, Long> reasons = new EnumMap<>(Refusal.class);
    refused.forEach((reason, count) -> reasons.put(reason, count.sum()));
    return new ReceiveCounters(
        datagrams.sum(),
        bytes.sum(),
        reasons,
        runs.sum(),
        there == null ? List.of() : there.counters());
  }

  @Override
  public void close() {
    if (rings != null) {
      rings.close();
    }
  }
}
