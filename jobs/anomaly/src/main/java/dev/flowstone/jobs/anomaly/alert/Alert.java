// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.anomaly.alert;

import dev.flowstone.jobs.anomaly.pane.Amplifiers;
import dev.flowstone.jobs.anomaly.pane.Pane;
import dev.flowstone.jobs.anomaly.pane.Spot;
import dev.flowstone.jobs.anomaly.pane.Subject;
import dev.flowstone.jobs.anomaly.pane.Terms;
import dev.flowstone.jobs.anomaly.sketch.PeerSample;
import dev.flowstone.jobs.anomaly.sketch.PeerSample.Share;
import dev.flowstone.model.AddressText;
import dev.flowstone.model.StreamNumber;
import dev.flowstone.results.Result;
import dev.flowstone.results.ResultFields;
import dev.flowstone.results.RuleTag;
import dev.flowstone.rules.function.Detector.Kind;
import java.io.Serializable;
import java.util.List;
import java.util.Locale;

/**
 * News of an alert, at most once for a window.
 *
 * @param openedPane that ended its first window
 * @param pane that ended this window
 * @param windows above the limit so far
 * @param peak greatest value of a window so far
 * @param observed this window's value, which was held against the limit
 * @param limit the threshold, or a multiple of what is usual where that is more
 * @param usual mean of the windows before this one
 * @param windowPackets in this window
 * @param completedPercent of the handshakes that began in this window; not a number: none did
 * @param attack all that was seen since it opened
 */
public record Alert(
    State state,
    Subject subject,
    Terms terms,
    long openedPane,
    long pane,
    long windows,
    long peak,
    long observed,
    long limit,
    double usual,
    long windowPackets,
    double completedPercent,
    Pane attack)
    implements Result, Serializable {
  private static final int MOST_PEERS = 10;
  private static final double NS_PER_SECOND = 1e9;

  /** What became of it. */
  public enum State {
    OPENED,
    UPDATED,
    CLOSED
  }

  static Alert of(Subject subject, Terms terms, long pane, Pane window, Course.Verdict verdict) {
    Course course = verdict.during();
    return new Alert(
        verdict.told(),
        subject,
        terms,
        course.openedPane(),
        pane,
        course.windows(),
        course.peak(),
        verdict.observed(),
        verdict.limit(),
        verdict.usual(),
        window.packets(),
        100.0 * window.completed() / window.begun(),
        course.attack());
  }

  @Override
  public String kind() {
    return "alert";
  }

  @Override
  public RuleTag rule() {
    return terms.rule();
  }

  @Override
  public long timeNs() {
    return terms.endNs(pane);
  }

  /** The same for all news of an alert, and for no other one. */
  public String id() {
    return String.join(
        "/", rule().name(), terms.detector(), subject.toString(), Long.toString(openedNs()));
  }

  /** Begin of its first window. */
  public long openedNs() {
    return terms.endNs(openedPane) - terms.windowNs();
  }

  /** Those who sent most of it; of a scan of addresses, whom it asked most. */
  public List<Share> topPeers() {
    PeerSample sample = new PeerSample();
    sample.addAll(attack.peers());
    return sample.top(MOST_PEERS);
  }

  @Override
  public void describe(ResultFields fields) {
    fields.text("state", state.name().toLowerCase(Locale.ROOT));
    fields.text("id", id());
    fields.key("detector", terms.detector());
    fields.key("subject", subject.toString());
    fields.text("address", subject.address());
    if (subject.port() != Subject.NO_PORT) {
      fields.number("port", subject.port());
    }
    if (terms.kind() == Kind.AMPLIFICATION) {
      fields.text("protocol", Amplifiers.known().name(subject.port()));
    }
    fields.number("opened_ns", openedNs());
    fields.number("window_begin_ns", timeNs() - terms.windowNs());
    fields.number("window_end_ns", timeNs());
    fields.number("windows", windows);
    describeJudgement(fields);
    describeAttack(fields);
    fields.text("explanation", Explanation.of(this));
  }

  private void describeJudgement(ResultFields fields) {
    fields.number("observed", observed);
    fields.number("limit", limit);
    fields.number("threshold", terms.threshold());
    if (!terms.prefix().equals(Terms.NO_PREFIX)) {
      fields.text("threshold_prefix", terms.prefix());
    }
    if (terms.baselineTimes() > 0) {
      fields.number("usual", usual);
    }
    if (terms.leastCompletedPercent() > 0) {
      fields.number("completed_percent", completedPercent);
    }
    fields.number("peak", peak);
    fields.number("packets_per_second", windowPackets * NS_PER_SECOND / terms.windowNs());
  }

  private void describeAttack(ResultFields fields) {
    fields.number("packets", attack.packets());
    fields.number("bytes", attack.bytes());
    fields.number("distinct_" + distinctName(), Measure.distinct(attack));
    describe(fields, "first", attack.first());
    describe(fields, "last", attack.last());
    fields.list(
        terms.kind() == Kind.HOST_SCAN ? "top_destinations" : "top_sources",
        topPeers(),
        (peer, item) -> {
          item.text("address", AddressText.of(peer.high(), peer.low(), subject.ipv4()));
          item.number("share", peer.share());
        });
  }

  private String distinctName() {
    return switch (terms.kind()) {
      case SYN_FLOOD, UDP_FLOOD, ICMP_FLOOD, RST_FLOOD, AMPLIFICATION -> "sources";
      case PORT_SCAN -> "ports";
      case HOST_SCAN -> "destinations";
    };
  }

  private static void describe(ResultFields fields, String which, Spot spot) {
    fields.number(which + "_time_ns", spot.timeNs());
    fields.text(which + "_stream", StreamNumber.text(spot.stream()));
    fields.number(which + "_position", spot.position());
  }
}
