// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.monitoring.page;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flowstone.monitoring.ClusterView;
import dev.flowstone.monitoring.ClusterView.Job;
import dev.flowstone.monitoring.FailureWords;
import dev.flowstone.monitoring.page.FlinkView.Failure;
import dev.flowstone.monitoring.page.FlinkView.Worker;
import dev.flowstone.monitoring.stats.Account;
import dev.flowstone.monitoring.stats.JobCounters;
import dev.flowstone.monitoring.stats.JobReading;
import dev.flowstone.monitoring.stats.OperatorCounters;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;

/** Looks at a job again and again through Flink's REST interface. One thread. */
final class FlinkWatch {
  /** So long Flink takes to ask its processes; what it answers before is older. */
  private static final Duration ANSWER = Duration.ofMillis(250);

  /** So often a moment is tried to be had whole. */
  private static final int TRIES = 3;

  private static final double MS_PER_SECOND = 1e3;

  private final ClusterView cluster;
  private final ChosenJob chosen;
  private final Optional<ReportedStages> reports;
  private final Incidents incidents;
  private final LongSupplier nanoTime;

  private Optional<Job> job = Optional.empty();
  private JobCounters counters;
  private Duration interval = Duration.ZERO;
  private StageMoments moments = new StageMoments();
  private Map<String, Worker> taskManagers = Map.of();
  private boolean knowsTaskManagers;
  private volatile RulesCourse rules = new RulesCourse();
  private List<String> problems = List.of();
  private volatile Optional<String> shownName = Optional.empty();

  /**
   * @param reports of stages whose job has ended
   */
  FlinkWatch(
      ClusterView cluster,
      ChosenJob chosen,
      Optional<ReportedStages> reports,
      Incidents incidents,
      LongSupplier nanoTime) {
    this.cluster = cluster;
    this.chosen = chosen;
    this.reports = reports;
    this.incidents = incidents;
    this.nanoTime = nanoTime;
  }

  FlinkView look() throws IOException, InterruptedException {
    List<Job> jobs =
        cluster
            .jobs()
            .orElseThrow(() -> new IOException("no Flink answers at " + cluster.address()));
    noticeTaskManagers();
    Optional<Job> shown = chosen.of(jobs);
    if (!shown.map(Job::id).equals(job.map(Job::id))) {
      moments = new StageMoments();
      rules = new RulesCourse();
    }
    shownName = Optional.of(shown.map(Job::name).orElse(""));
    problems = List.of();
    if (shown.isEmpty()) {
      job = shown;
      return view(new Job("", "", "", 0), List.of(), jobs);
    }
    if (!shown.map(Job::id).equals(job.map(Job::id))) {
      counters = new JobCounters(cluster, shown.get().id());
      interval = counters.age();
    }
    job = shown;
    if (shown.get().isAtWork()) {
      JobReading reading = takeMoment();
      noticeRules();
      problems = counters.health(reading).problems();
    }
    return view(shown.get(), failures(shown.get()), jobs);
  }

  /**
   * Name of the job that is shown, "" where there is none; empty: Flink has not been seen so far.
   * Any thread.
   */
  Optional<String> shownName() {
    return shownName;
  }

  /**
   * What it is asked first makes Flink ask its processes, and any question after that may do so
   * again: what was read is of one moment where Flink tells the same time before and after.
   */
  private JobReading takeMoment() throws IOException, InterruptedException {
    var _ = counters.start();
    StageMoments.Moment moment;
    JobReading reading;
    int tries = 0;
    do {
      Thread.sleep(ANSWER);
      JobCounters.Start start = counters.start();
      reading = counters.read();
      moment =
          new StageMoments.Moment(start.running().toMillis(), start.restarts(), reading.stages());
      if (counters.start().equals(start)) {
        moments.take(moment, nanoTime.getAsLong());
        return reading;
      }
    } while (++tries < TRIES);
    moments.takeMixed(moment, nanoTime.getAsLong());
    return reading;
  }

  /** Of the job that is shown. Any thread. */
  RulesCourse rules() {
    return rules;
  }

  /** What is found at the first look happened before, nobody knows when. */
  private void noticeRules() throws IOException, InterruptedException {
    JobCounters.RulesNews news = counters.rules();
    JobCounters.RulesNews before = rules.take(news);
    if (before.version() > 0 && news.version() > before.version()) {
      happened("rules, version %d, are in force".formatted(news.version()));
    }
    if (before.version() > 0 && news.waiting() > before.waiting()) {
      happened(
          "new rules wait for what they need, version %d stays in force; the JobManager's log says for what"
              .formatted(news.version()));
    }
    if (before.version() > 0 && news.refused() > before.refused()) {
      happened(
          "new rules were refused, version %d stays in force; the JobManager's log says why"
              .formatted(news.version()));
    }
  }

  private void happened(String toRules) {
    incidents.happened(Incidents.Kind.RULES, System.currentTimeMillis(), toRules);
  }

  private void noticeTaskManagers() throws IOException, InterruptedException {
    Map<String, Worker> now = new LinkedHashMap<>();
    for (JsonNode each : ask("/taskmanagers").path("taskmanagers")) {
      String id = each.path("id").asText();
      long heardMs = each.path("timeSinceLastHeartbeat").asLong();
      now.put(
          id,
          new Worker(
              id,
              place(each.path("path").asText()),
              each.path("slotsNumber").asInt(),
              each.path("freeSlots").asInt(),
              heardMs == 0 ? 0 : Math.max(0, System.currentTimeMillis() - heardMs)));
    }
    if (knowsTaskManagers) {
      tellChanges(now);
    }
    knowsTaskManagers = true;
    taskManagers = now;
  }

  private void tellChanges(Map<String, Worker> now) {
    long nowMs = System.currentTimeMillis();
    for (Worker each : taskManagers.values()) {
      if (!isAmong(now, each)) {
        incidents.happened(
            Incidents.Kind.TASK_MANAGER, nowMs, "TaskManager " + each.id() + " is gone");
      }
    }
    for (Worker each : now.values()) {
      if (!isAmong(taskManagers, each)) {
        incidents.happened(
            Incidents.Kind.TASK_MANAGER, nowMs, "TaskManager " + each.id() + " has come");
      }
    }
  }

  /** Who takes the place of one that died between two looks may bear its name. */
  private static boolean isAmong(Map<String, Worker> workers, Worker worker) {
    return workers.containsKey(worker.id())
        && workers.get(worker.id()).place().equals(worker.place());
  }

  /** Host and port of an address such as {@code pekko.tcp://flink@localhost:6122/user/rpc/x}. */
  private static String place(String path) {
    int host = path.indexOf('@') + 1;
    int end = path.indexOf('/', host);
    return host == 0 || end < 0 ? path : path.substring(host, end);
  }

  private List<Failure> failures(Job shown) throws IOException, InterruptedException {
    List<Failure> failures = new ArrayList<>();
    JsonNode history = ask("/jobs/" + shown.id() + "/exceptions").path("exceptionHistory");
    for (JsonNode each : history.path("entries")) {
      failures.add(
          new Failure(
              each.path("timestamp").asLong(),
              FailureWords.of(each.path("stacktrace").asText()),
              each.path("taskName").asText(""),
              each.path("taskManagerId").asText(each.path("endpoint").asText(""))));
    }
    return failures;
  }

  private JsonNode ask(String path) throws IOException, InterruptedException {
    return cluster
        .ask(path)
        .orElseThrow(
            () -> new IOException("Flink at " + cluster.address() + " does not say " + path));
  }

  /** False: nobody has them, and what Flink saw last has to do. */
  private boolean takeReports(Job ended) throws InterruptedException {
    List<OperatorCounters> last;
    try {
      last = reports.isPresent() ? reports.get().of(ended, nanoTime.getAsLong()) : List.of();
    } catch (IOException storeIsAway) {
      // That is said where its own part is.
      last = List.of();
    }
    if (!last.isEmpty()) {
      StageMoments.Moment seen = moments.now();
      moments.take(
          new StageMoments.Moment(seen.runningMs(), seen.restarts(), last), nanoTime.getAsLong());
    }
    return !last.isEmpty();
  }

  private FlinkView view(Job shown, List<Failure> failures, List<Job> jobs)
      throws InterruptedException {
    boolean isThere = !shown.id().isEmpty();
    boolean hasEnded = isThere && !shown.isAtWork();
    boolean isReported = hasEnded && takeReports(shown);
    double seconds = hasEnded ? 0 : moments.seconds(interval);
    // Where no stage told so, packets were on their way at the last report.
    boolean isWhole = isReported && reports.get().areWhole();
    StageViews views = new StageViews(moments, seconds, hasEnded && !isWhole);
    List<OperatorCounters> operators = moments.now().operators();
    return new FlinkView(
        isThere ? shown : null,
        jobs.stream().filter(each -> !each.id().equals(shown.id()) && each.isAtWork()).toList(),
        hasEnded,
        isReported,
        shown.startMs(),
        moments.now().runningMs(),
        Math.round(seconds * MS_PER_SECOND),
        moments.now().restarts(),
        views.stages(),
        views.pairs(),
        operators.isEmpty() ? "" : new Account(operators).equation(),
        problems,
        views.ofRules(),
        rules.view(),
        failures,
        List.copyOf(taskManagers.values()));
  }
}
