// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.anomaly.alert;

import dev.flowstone.commandline.DurationText;
import dev.flowstone.jobs.anomaly.pane.Amplifiers;
import dev.flowstone.jobs.anomaly.pane.Subject;
import dev.flowstone.jobs.anomaly.pane.Terms;
import java.time.Duration;
import java.util.Formatter;
import java.util.Locale;

/** Why there is an alert, or none any more, in a sentence. */
final class Explanation {
  private Explanation() {}

  static String of(Alert alert) {
    Terms terms = alert.terms();
    String window = DurationText.of(Duration.ofNanos(terms.windowNs()));
    Formatter text = new Formatter(Locale.ROOT);
    text.format("%,d %s within %s", alert.observed(), what(alert), window);
    text.format(
        ", %s than %,d", alert.observed() > alert.limit() ? "more" : "no more", alert.limit());
    if (alert.limit() > terms.threshold()) {
      text.format(", %d times the usual %,.1f", terms.baselineTimes(), alert.usual());
    } else if (!terms.prefix().equals(Terms.NO_PREFIX)) {
      text.format(" for %s", terms.prefix());
    }
    if (terms.leastCompletedPercent() > 0) {
      text.format("; %s", completed(alert, terms.leastCompletedPercent()));
    }
    return text.toString();
  }

  private static String completed(Alert alert, int least) {
    double percent = alert.completedPercent();
    return Double.isNaN(percent)
        ? "no handshake is known to have begun"
        : String.format(
            Locale.ROOT,
            "%.0f %% of the handshakes completed, %s than %d %%",
            percent,
            percent < least ? "less" : "no less",
            least);
  }

  private static String what(Alert alert) {
    Subject subject = alert.subject();
    String address = subject.address();
    return switch (alert.terms().kind()) {
      case SYN_FLOOD -> "SYNs without ACK to " + address;
      case UDP_FLOOD -> "UDP packets to " + address;
      case ICMP_FLOOD -> "ICMP packets to " + address;
      case RST_FLOOD -> "TCP resets to " + address;
      case AMPLIFICATION ->
          "large " + Amplifiers.known().name(subject.port()) + " answers to " + address;
      case PORT_SCAN -> "TCP ports tried at " + address;
      case HOST_SCAN -> "addresses tried at TCP port " + subject.port() + " by " + address;
    };
  }
}
