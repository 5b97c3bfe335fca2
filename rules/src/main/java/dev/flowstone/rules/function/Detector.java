// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.rules.function;

import dev.flowstone.commandline.DurationText;
import dev.flowstone.rules.AddressMatch;
import dev.flowstone.rules.ByteMatch;
import dev.flowstone.rules.Match;
import dev.flowstone.rules.Protocols;
import dev.flowstone.rules.TcpFlags;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * What is watched for, and from when on it is an alert.
 *
 * @param threshold more than this in a window: packets of a flood or an amplification, targets of a
 *     scan
 * @param thresholds of addresses that have one of their own: of a flood, an amplification and a
 *     port scan the one it goes to, of a host scan the one that looks; the longest prefix counts
 * @param window of event time
 * @param slide how far one window is from the next; the window itself: they do not overlap
 * @param baseline what is usual, learned: more than a multiple of it is needed as well
 * @param leastCompletedPercent of a SYN flood: alert only where fewer handshakes were completed
 */
public record Detector(
    Kind kind,
    long threshold,
    List<PrefixThreshold> thresholds,
    Duration window,
    Duration slide,
    Optional<Baseline> baseline,
    Optional<Integer> leastCompletedPercent) {
  public static final Duration USUAL_WINDOW = Duration.ofSeconds(5);
  public static final int MOST_PREFIX_THRESHOLDS = 1024;

  /** What a handshake's third packet has. */
  private static final ByteMatch COMPLETING = TcpFlags.parse("ack and not syn");

  /** Panes of a sliding window that are kept for each address. */
  public static final int MOST_PANES = 60;

  /** What is watched for. */
  public enum Kind {
    SYN_FLOOD,
    UDP_FLOOD,
    ICMP_FLOOD,
    RST_FLOOD,
    AMPLIFICATION,
    /** Many ports of one address: vertical. */
    PORT_SCAN,
    /** One port of many addresses: horizontal. */
    HOST_SCAN;

    /** Of what it counts. */
    private List<String> protocols() {
      return switch (this) {
        case SYN_FLOOD, RST_FLOOD, PORT_SCAN, HOST_SCAN -> List.of("tcp");
        case UDP_FLOOD, AMPLIFICATION -> List.of("udp");
        case ICMP_FLOOD -> List.of("icmp", "icmpv6");
      };
    }

    private ByteMatch flags() {
      return switch (this) {
        case SYN_FLOOD -> TcpFlags.parse("syn and not ack");
        case RST_FLOOD -> TcpFlags.parse("rst");
        case PORT_SCAN, HOST_SCAN -> TcpFlags.parse("not ack and not rst");
        default -> ByteMatch.ANY;
      };
    }

    /** Whether the match can mean a packet that is counted. */
    public boolean isFedBy(Match match) {
      return protocols().stream().anyMatch(each -> match.canMean(Protocols.parse(each), flags()));
    }

    private String counted() {
      String packets = String.join(" or ", protocols()) + " packets";
      return flags().equals(ByteMatch.ANY) ? packets : packets + " with " + TcpFlags.text(flags());
    }

    /** As a rules file calls it. */
    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** A threshold of the addresses of one prefix. */
  public record PrefixThreshold(AddressMatch prefix, long threshold) {
    public PrefixThreshold {
      requireThreshold(threshold);
      if (!prefix.isPrefix()) {
        throw new IllegalArgumentException("a threshold's prefix has no other mask: " + prefix);
      }
    }
  }

  /**
   * An exponentially weighted mean of former windows.
   *
   * @param times an alert needs so many times the mean
   * @param halfLife after which a window weighs half
   */
  public record Baseline(int times, Duration halfLife) {
    public static final int MOST_TIMES = 1000;

    public Baseline {
      if (times < 2 || times > MOST_TIMES) {
        throw new IllegalArgumentException("times must be 2 to 1000: " + times);
      }
      Span.require("half_life", halfLife);
    }
  }

  public Detector {
    thresholds = List.copyOf(thresholds);
    requireThreshold(threshold);
    if (thresholds.size() > MOST_PREFIX_THRESHOLDS) {
      throw new IllegalArgumentException("at most 1024 thresholds: " + thresholds.size());
    }
    Set<AddressMatch> prefixes = new HashSet<>();
    for (PrefixThreshold each : thresholds) {
      if (!prefixes.add(each.prefix())) {
        throw new IllegalArgumentException("thresholds has the prefix " + each.prefix() + " twice");
      }
    }
    Span.require("window", window);
    Span.require("slide", slide);
    long panes = window.dividedBy(slide);
    if (panes < 1 || panes > MOST_PANES || !slide.multipliedBy(panes).equals(window)) {
      throw new IllegalArgumentException(
          "window must be 1 to 60 times slide: "
              + DurationText.of(window)
              + " and "
              + DurationText.of(slide));
    }
    leastCompletedPercent.ifPresent(
        percent -> {
          if (kind != Kind.SYN_FLOOD) {
            throw new IllegalArgumentException("least_completed_percent is for syn_flood");
          }
          if (percent < 1 || percent > 100) {
            throw new IllegalArgumentException(
                "least_completed_percent must be 1 to 100: " + percent);
          }
        });
  }

  /** Throws if the match never means a packet that this needs. */
  void requireFedBy(Match match) {
    if (!kind.isFedBy(match)) {
      throw new IllegalArgumentException(
          "%s never sees what it counts, %s: match means none of these (%s)"
              .formatted(kind, kind.counted(), match));
    }
    if (leastCompletedPercent.isPresent()
        && !match.canMean(ByteMatch.exactly(Protocols.TCP), COMPLETING)) {
      throw new IllegalArgumentException(
          "least_completed_percent needs what completes handshakes, %s: match means no such packet (%s)"
              .formatted(TcpFlags.text(COMPLETING), match));
    }
  }

  private static void requireThreshold(long threshold) {
    if (threshold < 0) {
      throw new IllegalArgumentException("threshold must be 0 or more: " + threshold);
    }
  }
}
