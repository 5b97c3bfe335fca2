// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.plan;

import static dev.flowstone.plan.Cost.AGGREGATE_PACKET;
import static dev.flowstone.plan.Cost.ANOMALY_PACKET;
import static dev.flowstone.plan.Cost.HISTOGRAM_10K;
import static dev.flowstone.plan.Cost.HISTOGRAM_1M;
import static dev.flowstone.plan.Cost.JOB_IDLE;
import static dev.flowstone.plan.Cost.JOB_READ;
import static dev.flowstone.plan.Cost.PASS_PACKET;
import static dev.flowstone.plan.Cost.RULES_1000;
import static dev.flowstone.plan.Cost.RULES_16;
import static dev.flowstone.plan.Cost.SAMPLE_PACKET;
import static dev.flowstone.plan.Cost.TAP_PARSE;
import static dev.flowstone.plan.Cost.TAP_SCATTER;
import static dev.flowstone.plan.Cost.TAP_TAKE;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The processor time of one server's tap and job. */
record Work(Site site, CostTable costs, double speed) {
  private static final double NS_PER_SECOND = 1e9;
  private static final int FEW_RULES = 16;
  private static final int MANY_RULES = 1_000;
  private static final double FEW_FLOWS = 1e4;
  private static final double MANY_FLOWS = 1e6;

  /**
   * What one packet of all takes.
   *
   * @param nsEach of a packet that it has
   */
  private record Step(String name, double share, double nsEach) {
    double ns() {
      return share * nsEach;
    }
  }

  private List<Step> jobSteps() {
    return Stream.concat(stepsOfAll().stream(), stepsOfFunctions().stream()).toList();
  }

  /** What each packet takes, whatever becomes of it. */
  private List<Step> stepsOfAll() {
    List<Step> steps = new ArrayList<>();
    steps.add(new Step("read from rings", 1, costs.of(JOB_READ)));
    if (site.traffic().rules() > 0) {
      steps.add(new Step("%,d rules".formatted(site.traffic().rules()), 1, rulesNs()));
    }
    return steps;
  }

  private List<Step> stepsOfFunctions() {
    List<Step> steps = new ArrayList<>();
    add(steps, Function.PASS, costs.of(PASS_PACKET));
    add(
        steps,
        Function.SAMPLE,
        costs.of(SAMPLE_PACKET) + costs.of(PASS_PACKET) / site.traffic().oneIn());
    add(steps, Function.AGGREGATE, costs.of(AGGREGATE_PACKET));
    add(steps, Function.HISTOGRAM, histogramNs());
    add(steps, Function.ANOMALY, costs.of(ANOMALY_PACKET));
    add(steps, Function.USER, site.traffic().userNs() / speed);
    return steps;
  }

  private void add(List<Step> steps, Function function, double ns) {
    if (site.traffic().has(function)) {
      steps.add(new Step(function.toString(), site.traffic().share(function), ns));
    }
  }

  /** A straight line through what was measured, and on beyond it. */
  private double rulesNs() {
    double few = costs.of(RULES_16);
    double ofOne = (costs.of(RULES_1000) - few) / (MANY_RULES - FEW_RULES);
    return few + ofOne * Math.max(0, site.traffic().rules() - FEW_RULES);
  }

  /** By the logarithm of the flows, as one cache after the other is too small for them. */
  private double histogramNs() {
    double flows =
        Math.clamp(site.traffic().flowsOf(Function.HISTOGRAM), FEW_FLOWS, MANY_FLOWS) / FEW_FLOWS;
    double part = Math.log(flows) / Math.log(MANY_FLOWS / FEW_FLOWS);
    return costs.of(HISTOGRAM_10K) + part * (costs.of(HISTOGRAM_1M) - costs.of(HISTOGRAM_10K));
  }

  double tapNs() {
    return costs.of(TAP_TAKE) + costs.of(TAP_PARSE) + costs.of(TAP_SCATTER);
  }

  double jobNs() {
    return jobSteps().stream().mapToDouble(Step::ns).sum();
  }

  /** What a packet takes whose function takes most: a flow has one rule, and that one function. */
  private List<Step> stepsOfLargestFlow() {
    return Stream.concat(
            stepsOfAll().stream(),
            stepsOfFunctions().stream().max(Comparator.comparingDouble(Step::nsEach)).stream())
        .toList();
  }

  double largestFlowPacketsPerSecond() {
    return NS_PER_SECOND / stepsOfLargestFlow().stream().mapToDouble(Step::nsEach).sum();
  }

  double tapCores() {
    return cores(tapNs());
  }

  double jobCores() {
    return cores(jobNs()) + costs.of(JOB_IDLE);
  }

  private double cores(double nsOfPacket) {
    return site.traffic().packetsPerSecond() * nsOfPacket / NS_PER_SECOND;
  }

  int tapThreads() {
    return toBuy(tapCores());
  }

  /** Each reads a ring of its own. */
  int subtasks() {
    return toBuy(jobCores());
  }

  private int toBuy(double cores) {
    return (int) Math.ceil(cores / site.operation().busy());
  }

  /** The part of their time that the job's cores are at work while nothing is wrong. */
  double load() {
    return jobCores() / subtasks();
  }

  int coresToBuy() {
    return tapThreads() + subtasks();
  }

  /** Threads take turns at the rings. */
  double mostIntoRings() {
    return NS_PER_SECOND / costs.of(TAP_SCATTER);
  }

  Group group() {
    List<Amount> amounts = new ArrayList<>();
    amounts.add(
        amount(
            "tap",
            tapCores(),
            "%s x %s ns: take %s, parse %s, into rings %s"
                .formatted(
                    rate(),
                    Unit.digits(tapNs()),
                    Unit.digits(costs.of(TAP_TAKE)),
                    Unit.digits(costs.of(TAP_PARSE)),
                    Unit.digits(costs.of(TAP_SCATTER)))));
    for (Step step : jobSteps()) {
      amounts.add(amount("job: " + step.name(), cores(step.ns()), how(step)));
    }
    amounts.add(
        amount("job: itself", costs.of(JOB_IDLE), "checkpoints, watermarks, metrics, at any rate"));
    amounts.add(
        Amount.ofServers(
            "cores to buy",
            coresToBuy(),
            site.servers(),
            Unit.COUNT,
            "tap %d, job %d: whole ones, each busy for %s %% of the time at most"
                .formatted(tapThreads(), subtasks(), Unit.digits(100 * site.operation().busy()))));
    amounts.add(
        Amount.ofEach(
            "largest flow",
            largestFlowPacketsPerSecond(),
            Unit.PACKETS_PER_SECOND,
            "1 s / %s ns for %s: a flow has one function, and one subtask, which this keeps wholly busy"
                .formatted(
                    Unit.digits(NS_PER_SECOND / largestFlowPacketsPerSecond()),
                    stepsOfLargestFlow().stream()
                        .map(Step::name)
                        .collect(Collectors.joining(", ")))));
    return new Group("cores", amounts);
  }

  private Amount amount(String name, double cores, String how) {
    return Amount.ofServers(name, cores, site.servers(), Unit.CORES, how);
  }

  private String how(Step step) {
    String packets =
        step.share() == 1
            ? rate()
            : "%s %% of %s".formatted(Unit.digits(100 * step.share()), rate());
    return "%s x %s ns".formatted(packets, Unit.digits(step.nsEach()));
  }

  private String rate() {
    return Unit.PACKETS_PER_SECOND.of(site.traffic().packetsPerSecond());
  }
}
