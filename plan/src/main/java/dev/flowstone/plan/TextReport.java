// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.plan;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A plan for a terminal: what is needed, and beside it how to reckon it by hand. */
final class TextReport {
  private static final String NAME = "%-27s";
  private static final String VALUE = "%12s";

  private final Plan plan;
  private final boolean isOneServer;
  private final StringBuilder text = new StringBuilder();

  private TextReport(Plan plan) {
    this.plan = plan;
    isOneServer = plan.site().servers() == 1;
  }

  static String of(Plan plan) {
    TextReport report = new TextReport(plan);
    report.tellSite();
    plan.groups().forEach(report::tell);
    report.tellLimits();
    report.tellCommands();
    report.tellOrigin();
    return report.text.toString();
  }

  private void tellSite() {
    Traffic traffic = plan.site().traffic();
    line(
        "%s with %s packets/s of %s flows: %s"
            .formatted(
                isOneServer
                    ? "one server"
                    : Unit.COUNT.of(plan.site().servers()) + " servers, each",
                Unit.COUNT.of(traffic.packetsPerSecond()),
                Unit.PACKETS.of(traffic.flows()),
                Stream.of(Function.values())
                    .filter(traffic::has)
                    .map(function -> share(traffic, function))
                    .collect(Collectors.joining(", "))));
  }

  private static String share(Traffic traffic, Function function) {
    String name =
        function == Function.SAMPLE
            ? "%s 1:%s".formatted(function, Unit.COUNT.of(traffic.oneIn()))
            : function.toString();
    return "%s %s %%".formatted(name, Unit.digits(100 * traffic.share(function)));
  }

  private void tell(Group group) {
    line("");
    if (isOneServer) {
      line((NAME + VALUE).formatted(group.name(), "needs"));
    } else {
      String all = "all " + Unit.COUNT.of(plan.site().servers());
      line((NAME + VALUE + VALUE).formatted(group.name(), "one server", all));
    }
    group.amounts().forEach(this::tell);
  }

  private void tell(Amount amount) {
    String name = "  " + amount.name();
    String each = told(amount.each(), amount.unit());
    String all = told(amount.all(), amount.unit());
    if (isOneServer) {
      line((NAME + VALUE + "  %s").formatted(name, each.isEmpty() ? all : each, amount.how()));
    } else {
      line((NAME + VALUE + VALUE + "  %s").formatted(name, each, all, amount.how()));
    }
  }

  private static String told(double value, Unit unit) {
    return Double.isNaN(value) ? "" : unit.of(value);
  }

  private void tellLimits() {
    line("");
    line(
        (NAME + VALUE + VALUE + "        %s")
            .formatted("what breaks first", "needs", "there is", "holds up to"));
    for (LimitCheck check : plan.limits()) {
      Unit unit = check.limit().unit();
      line(
          (NAME + VALUE + VALUE + "%5.0f %%  %s")
              .formatted(
                  "  " + check.limit().name(),
                  unit.of(check.needed()),
                  unit.of(check.there()),
                  Math.ceil(100 * check.part()),
                  most(check.mostPacketsPerSecond())));
    }
    line("");
    List<LimitCheck> broken = plan.limits().stream().filter(check -> !check.fits()).toList();
    if (broken.isEmpty()) {
      Limit first = plan.limits().getFirst().limit();
      line("fits; where it breaks first, %s: %s".formatted(first.name(), first.remedy()));
    }
    for (LimitCheck check : broken) {
      line("DOES NOT FIT, %s: %s".formatted(check.limit().name(), check.limit().remedy()));
    }
  }

  private static String most(double packetsPerSecond) {
    if (Double.isInfinite(packetsPerSecond)) {
      return "any rate";
    }
    return packetsPerSecond == 0
        ? "no rate"
        : Unit.PACKETS_PER_SECOND.of(packetsPerSecond) + " to a server";
  }

  private void tellCommands() {
    if (plan.commands().isEmpty()) {
      return;
    }
    line("");
    line("on each server, and once at Kafka");
    plan.commands().forEach(command -> line("  %s".formatted(command)));
  }

  private void tellOrigin() {
    line("");
    line(
        "Costs were measured on %s%s."
            .formatted(
                plan.machine(),
                plan.speed() == 1
                    ? ""
                    : "; cores here are taken to be "
                        + Unit.digits(plan.speed())
                        + " times as fast"));
    line("What is larger than that machine is arithmetic, and was never run: docs/sizing.md.");
  }

  private void line(String words) {
    text.append(words.stripTrailing()).append(System.lineSeparator());
  }
}
