// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.anomaly.pane;

import dev.flowstone.jobs.anomaly.sketch.FixedHash;
import dev.flowstone.model.PacketRecord;
import dev.flowstone.model.abi.PacketRecordLayout;
import dev.flowstone.results.RuleTag;
import dev.flowstone.rules.function.Detector;
import dev.flowstone.rules.function.Detector.Kind;
import dev.flowstone.rules.function.Detector.PrefixThreshold;
import java.lang.foreign.MemorySegment;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/** A detector of a rule: which packets it asks for, whose they are, what of them is counted. */
final class Watch {
  static final int TCP = 6;
  private static final int UDP = 17;
  private static final int ICMP = 1;
  private static final int ICMPV6 = 58;

  private static final int SYN = 0x02;
  private static final int RST = 0x04;
  private static final int ACK = 0x10;

  private final long ruleId;
  private final int number;
  private final Kind kind;
  private final Terms terms;
  private final List<PrefixThreshold> prefixes;

  /** What of {@link #terms} travels; then of each prefix. */
  private final byte[] usualTerms;

  private final List<byte[]> termsOfPrefix;

  Watch(long ruleId, RuleTag rule, int number, String name, Detector detector) {
    this.ruleId = ruleId;
    this.number = number;
    kind = detector.kind();
    terms = terms(rule, name, detector, detector.threshold(), Terms.NO_PREFIX);
    prefixes =
        detector.thresholds().stream()
            .sorted(
                Comparator.comparingInt((PrefixThreshold own) -> own.prefix().lengthBits())
                    .reversed())
            .toList();
    usualTerms = terms.toBytes();
    termsOfPrefix =
        prefixes.stream()
            .map(own -> terms(rule, name, detector, own.threshold(), own.prefix().toString()))
            .map(Terms::toBytes)
            .toList();
  }

  private static Terms terms(
      RuleTag rule, String name, Detector detector, long threshold, String prefix) {
    return new Terms(
        rule,
        name,
        detector.kind(),
        detector.slide().toNanos(),
        (int) detector.window().dividedBy(detector.slide()),
        threshold,
        prefix,
        detector.baseline().map(Detector.Baseline::times).orElse(0),
        detector.baseline().map(baseline -> baseline.halfLife().toNanos()).orElse(0L),
        detector.leastCompletedPercent().orElse(0));
  }

  /** As results call it: its kind, and a number from the second one of a kind on. */
  static String name(Kind kind, int numberOfKind) {
    String name = kind.name().toLowerCase(Locale.ROOT);
    return numberOfKind == 1 ? name : name + "-" + numberOfKind;
  }

  /** Whether packets of a protocol may be asked for; flags are TCP's, of others 0. */
  boolean asksFor(int protocol, int tcpFlags) {
    return switch (kind) {
      case SYN_FLOOD -> protocol == TCP && (tcpFlags & (SYN | ACK)) == SYN;
      case RST_FLOOD -> protocol == TCP && (tcpFlags & RST) != 0;
      case UDP_FLOOD, AMPLIFICATION -> protocol == UDP;
      case ICMP_FLOOD -> protocol == ICMP || protocol == ICMPV6;
      // Whatever opens no connection and belongs to none: SYN, FIN, no flag or several.
      case PORT_SCAN, HOST_SCAN -> protocol == TCP && (tcpFlags & (ACK | RST)) == 0;
    };
  }

  /** Whether it is to be known which handshakes were completed. */
  boolean wantsHandshakes() {
    return terms.leastCompletedPercent() > 0;
  }

  /** Whether TCP packets with such flags may complete a handshake. */
  static boolean mayComplete(int tcpFlags) {
    return (tcpFlags & (SYN | RST | ACK)) == ACK;
  }

  /** The same of a packet. */
  static boolean isCompleting(MemorySegment records, long at) {
    return PacketRecord.protocol(records, at) == TCP
        && mayComplete(PacketRecord.tcpFlags(records, at));
  }

  /** Whether a packet begins a handshake. */
  static boolean isBeginning(MemorySegment records, long at) {
    return PacketRecord.protocol(records, at) == TCP
        && (PacketRecord.tcpFlags(records, at) & (SYN | RST | ACK)) == SYN;
  }

  /** Whether this packet is asked for, once {@link #asksFor} may be. */
  boolean takes(MemorySegment records, long at) {
    return switch (kind) {
      case SYN_FLOOD, RST_FLOOD, UDP_FLOOD, ICMP_FLOOD -> true;
      case AMPLIFICATION -> {
        int length = PacketRecord.payloadLength(records, at);
        yield length != PacketRecordLayout.PAYLOAD_LENGTH_UNREADABLE
            && Amplifiers.known().isAmplified(PacketRecord.sourcePort(records, at), length);
      }
      // No flags are also those that cannot be read.
      case PORT_SCAN, HOST_SCAN ->
          PacketRecord.payloadLength(records, at) != PacketRecordLayout.PAYLOAD_LENGTH_UNREADABLE
              && !PacketRecord.isLaterFragment(PacketRecord.descriptor(records, at));
    };
  }

  /** Whether the source is watched, not the destination. */
  boolean isOfSource() {
    return kind == Kind.HOST_SCAN;
  }

  int portOf(MemorySegment records, long at) {
    return switch (kind) {
      case SYN_FLOOD, RST_FLOOD, UDP_FLOOD, ICMP_FLOOD, PORT_SCAN -> Subject.NO_PORT;
      case AMPLIFICATION -> PacketRecord.sourcePort(records, at);
      case HOST_SCAN -> PacketRecord.destinationPort(records, at);
    };
  }

  /** Of what is counted once: the other side, or of a scan of ports the port. */
  long distinctHash(MemorySegment records, long at, long peerHigh, long peerLow) {
    return kind == Kind.PORT_SCAN
        ? FixedHash.of(PacketRecord.destinationPort(records, at))
        : FixedHash.and(FixedHash.of(peerHigh), peerLow);
  }

  /** Tells it from others in a table. */
  long seed() {
    return ruleId * 31 + number;
  }

  long slideNs() {
    return terms.slideNs();
  }

  long endNs(long pane) {
    return terms.endNs(pane);
  }

  /** See {@link Terms#lastMs}. */
  long lastMs(long pane) {
    return terms.lastMs(pane);
  }

  Subject subject(boolean ipv4, long high, long low, int port) {
    return new Subject(ruleId, number, ipv4, high, low, port);
  }

  /**
   * With the threshold of the longest prefix that the subject is in; see {@link PanePart#terms}.
   */
  byte[] termsOf(Subject subject) {
    for (int i = 0; i < prefixes.size(); i++) {
      var prefix = prefixes.get(i).prefix();
      if (prefix.ipv4() == subject.ipv4() && prefix.matches(subject.high(), subject.low())) {
        return termsOfPrefix.get(i);
      }
    }
    return usualTerms;
  }
}
