// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.inspect.report;

import static dev.flowstone.inspect.report.Quantities.count;
import static dev.flowstone.inspect.report.Quantities.duration;
import static dev.flowstone.inspect.report.Quantities.share;

import dev.flowstone.commandline.EscapedText;
import dev.flowstone.inspect.flow.FlowSummary;
import dev.flowstone.inspect.traffic.SynCount;
import dev.flowstone.inspect.traffic.SynReport;
import dev.flowstone.inspect.traffic.TimeRange;
import dev.flowstone.inspect.traffic.TrafficSummary;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** Writes an inspection for people. */
public final class TextReport {
  private static final int MOST_WINDOWS = 10;
  private static final String INDENT = "  ";

  public String text(Inspection inspection) {
    return switch (inspection) {
      case Inspection.Failure failure -> failure(failure);
      case Inspection.Answer answer -> answer(answer);
    };
  }

  /** One line that names the file once. */
  private static String failure(Inspection.Failure failure) {
    String start = failure.file() + ": ";
    return EscapedText.of(
        failure.error().startsWith(start) ? failure.error() : start + failure.error());
  }

  private static String answer(Inspection.Answer answer) {
    TrafficSummary summary = answer.summary();
    StringBuilder text = new StringBuilder(EscapedText.of(answer.file())).append('\n');
    line(
        text,
        "packets",
        count(summary.packets()) + ", " + count(summary.bytesWire()) + " bytes on the wire");
    if (summary.saturatedLengths() > 0) {
      String frames = count(summary.saturatedLengths());
      line(text, "", frames + " frames longer than a record can say; the bytes are a lower bound");
    }
    line(text, "time (UTC)", times(summary.times()));
    line(text, "classes", classes(summary));
    line(
        text,
        "flows",
        count(summary.directionalFlows())
            + " by direction, "
            + count(summary.bidirectionalFlows())
            + (summary.bidirectionalFlows() == 1 ? " conversation" : " conversations"));
    line(
        text,
        "TCP SYN",
        count(summary.synWithoutAck())
            + " without ACK, "
            + count(summary.synWithAck())
            + " with ACK");
    answer
        .source()
        .notes()
        .forEach(note -> line(text, "damaged", note.reason().text() + " at byte " + note.offset()));
    if (!summary.topDirectional().isEmpty()) {
      text.append("\n  Top talkers, by direction\n")
          .append(flows(summary.topDirectional(), summary));
      text.append("\n  Top conversations, both directions\n")
          .append(flows(summary.topBidirectional(), summary));
    }
    text.append(synWindows(summary.syns()));
    return text.toString();
  }

  private static void line(StringBuilder text, String name, String value) {
    text.append(String.format(Locale.ROOT, "%s%-11s %s%n", INDENT, name, value));
  }

  private static String times(TimeRange times) {
    if (times.isNone()) {
      return "none recorded";
    }
    return Quantities.time(times.earliestNs())
        + " to "
        + Quantities.time(times.latestNs())
        + " ("
        + duration(times.latestNs() - times.earliestNs())
        + ")";
  }

  private static String classes(TrafficSummary summary) {
    if (summary.classes().isEmpty()) {
      return "none";
    }
    return summary.classes().entrySet().stream()
        .map(
            entry ->
                entry.getKey()
                    + " "
                    + count(entry.getValue())
                    + " ("
                    + share(entry.getValue(), summary.packets())
                    + ")")
        .collect(Collectors.joining(", "));
  }

  private static String flows(List<FlowSummary> flows, TrafficSummary summary) {
    TextTable table =
        new TextTable(
            INDENT + INDENT,
            "source",
            "destination",
            "protocol",
            ">packets",
            ">share",
            ">bytes",
            ">gap min",
            ">gap max",
            ">gaps < 0");
    for (FlowSummary flow : flows) {
      table.row(
          endpoint(flow.source(), flow.sourcePort()),
          endpoint(flow.destination(), flow.destinationPort()),
          protocol(flow.protocol()),
          count(flow.packets()),
          share(flow.packets(), summary.packets()),
          count(flow.bytes()),
          duration(flow.gaps().minNs()),
          duration(flow.gaps().maxNs()),
          count(flow.negativeGaps()));
    }
    return table.text();
  }

  /** Port 0 is that of packets which show none: ICMP, later fragments. */
  private static String endpoint(String address, int port) {
    if (port == 0) {
      return address;
    }
    return (address.indexOf(':') < 0 ? address : "[" + address + "]") + ":" + port;
  }

  private static String protocol(int protocol) {
    return switch (protocol) {
      case 1 -> "ICMP";
      case 6 -> "TCP";
      case 17 -> "UDP";
      case 47 -> "GRE";
      case 50 -> "ESP";
      case 58 -> "ICMPv6";
      case 132 -> "SCTP";
      default -> Integer.toString(protocol);
    };
  }

  private static String synWindows(SynReport report) {
    if (report.overByDestination().isEmpty()) {
      return "";
    }
    TextTable table = new TextTable(INDENT + INDENT, "window from (UTC)", "destination", ">SYNs");
    report.overByDestination().stream()
        .limit(MOST_WINDOWS)
        .forEach(
            window ->
                table.row(
                    Quantities.second(window.windowStartNs()),
                    window.address(),
                    count(window.count())));
    int more = report.overByDestination().size() - MOST_WINDOWS;
    return String.format(
            Locale.ROOT,
            "%n%sMore than %d SYNs to one address in %d s: %d of %d windows%n",
            INDENT,
            SynReport.THRESHOLD,
            TimeUnit.NANOSECONDS.toSeconds(SynCount.WINDOW_NS),
            report.overByDestination().size(),
            report.windows())
        + table.text()
        + (more > 0 ? INDENT + INDENT + "and " + more + " more; --json lists them all\n" : "");
  }
}
