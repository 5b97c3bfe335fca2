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
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;

/**
 * What a receiver does with datagrams, wherever they come from: checks them, listens to one sender,
 * makes rings like that one's and fills them. Every datagram is used or counted as refused. Closed
 * by whoever made it; one thread, any may ask for counters.
 */
public final class Reception implements AutoCloseable {
  private static final Optional<Refusal> ARRANGEMENT = Optional.of(Refusal.ARRANGEMENT);
  private static final Optional<Refusal> CONTENT = Optional.of(Refusal.CONTENT);
  private static final Optional<Refusal> FORMER_RUN = Optional.of(Refusal.FORMER_RUN);
  private static final Optional<Refusal> OTHER_SENDER = Optional.of(Refusal.OTHER_SENDER);

  private final RingMaker maker;
  private final ReceiveOptions options;
  private final Consumer<String> say;
  private final Consumer<RingSetWriter> made;
  private final RareLines rareLines;
  private final SenderChoice senders;
  private boolean saidSilent;

  private final LongAdder datagrams = new LongAdder();
  private final LongAdder bytes = new LongAdder();
  private final LongAdder runs = new LongAdder();
  private final Map<Refusal, LongAdder> refused = new EnumMap<>(Refusal.class);
  private volatile ReceivedRings rings;

  /**
   * @param say takes lines for people
   * @param made is told once of the rings
   */
  public Reception(
      RingMaker maker, ReceiveOptions options, Consumer<String> say, Consumer<RingSetWriter> made) {
    this.maker = maker;
    this.options = options;
    this.say = say;
    this.made = made;
    rareLines = new RareLines(say);
    senders = new SenderChoice(FormerBooks.read(maker.directory().path()).sender());
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
    Optional<Refusal> fault = DatagramCheck.fault(buffer, lengthBytes);
    if (fault.isEmpty()) {
      fault = take(buffer.memory(), lengthBytes, from, nowNs);
    }
    if (fault.isPresent()) {
      refused.get(fault.get()).increment();
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
          case CURRENT -> rings.arrangement().isOf(memory) ? Optional.<Refusal>empty() : CONTENT;
          case NEXT_RUN -> begin(memory, from, nowNs);
          case FORMER_RUN -> FORMER_RUN;
          case OTHER_SENDER -> refuseOther(memory, from, nowNs);
        };
    if (unwanted.isPresent()) {
      return unwanted;
    }
    senders.heard(memory, nowNs);
    if (saidSilent) {
      saidSilent = false;
      say.accept("the sender is heard again");
    }
    return rings.offer(memory, lengthBytes, nowNs);
  }

  private Optional<Refusal> begin(MemorySegment memory, InetSocketAddress from, long nowNs) {
    RingArrangement wanted = RingArrangement.of(memory);
    if (!wanted.hasUsualKeyGroups() || (rings != null && !rings.arrangement().equals(wanted))) {
      rareLines.say(RareLines.Kind.ARRANGEMENT, nowNs, () -> unlike(wanted, from));
      return ARRANGEMENT;
    }
    if (rings == null) {
      ReceivedRings fresh = new ReceivedRings(wanted, maker, options, say);
      rings = fresh;
      made.accept(fresh.writer());
    }
    rings.beginRun(senders.choose(memory));
    runs.increment();
    saidSilent = false;
    say.accept(
        "receives from "
            + SocketAddresses.text(from)
            + ": run "
            + StreamNumber.text(DatagramHeader.run(memory, 0))
            + " of a sender with "
            + wanted);
    return Optional.empty();
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
