// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.reference;

import dev.flowstone.harness.ClusterSize;
import dev.flowstone.harness.LocalCluster;
import dev.flowstone.harness.LocalJob;
import dev.flowstone.harness.ScratchFolder;
import dev.flowstone.jobs.anomaly.AnomalyCommand;
import dev.flowstone.jobs.entry.CommandLineJob;
import dev.flowstone.jobs.histogram.HistogramCommand;
import dev.flowstone.jobs.platform.PlatformCommand;
import dev.flowstone.jobs.sampling.SamplingCommand;
import dev.flowstone.processes.LoopbackPorts;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import picocli.CommandLine;

/**
 * Every job on a tap at work, for as long as it takes to see all metrics. There is no Kafka and no
 * QuestDB: what is registered when a job begins need not get through. A job that delivers exactly
 * once waits for Kafka before it begins, when its committers are there already.
 */
final class MetricsRun {
  private static final Duration LIMIT = Duration.ofMinutes(3);

  /** Processor time of this process without a new metric, after which no more are expected. */
  private static final Duration QUIET_WORK = Duration.ofSeconds(8);

  private static final long POLL_MS = 200;
  private static final ClusterSize SIZE = new ClusterSize(7, 64, 256);

  /** One for each function. */
  private static final String RULES =
      """
      rules:
        - {name: names, priority: 7, match: {source_port: 53}, function: {histogram: {per: flow, interval: 1s}}}
        - {name: opened, priority: 6, match: {protocol: tcp, tcp_flags: syn}, function: {anomaly: [{detect: syn_flood, threshold: 1, window: 1s}]}}
        - {name: closed, priority: 5, match: {protocol: tcp, tcp_flags: 1/1}, function: {user: {class: dev.flowstone.reference.NoUse}}}
        - {name: web, priority: 4, match: {protocol: tcp, source_port: 443}, function: {aggregate: {active_timeout: 6s, idle_timeout: 3s}}}
        - {name: pings, priority: 3, match: {protocol: icmp}, function: drop}
      default: {function: {sample: {one_in: 5}}}
      """;

  private final Project project;
  private final Set<String> described = new MetricDescriptions().names();

  MetricsRun(Project project) {
    this.project = project;
  }

  /** The page of what was seen. */
  Page run() throws Exception {
    TableMessages.open();
    try (ScratchFolder folder = ScratchFolder.onDisk("reference");
        ScratchFolder rings = ScratchFolder.inMemory("reference");
        ScratchFolder received = ScratchFolder.inMemory("reference");
        RunningTap tap = RunningTap.start(project, made(folder, "tap"), rings.path());
        ScratchFolder carded = ScratchFolder.inMemory("reference");
        RunningTap card = RunningTap.card(project, made(folder, "card"), carded.path());
        TwoEnds ends = TwoEnds.start(project, folder.path(), rings.path(), received.path());
        LocalCluster cluster = LocalCluster.start(SIZE, configuration(folder.path()))) {
      List<LocalJob> running = new ArrayList<>();
      for (CommandLineJob job : jobs(folder.path(), rings.path())) {
        running.add(cluster.submit(1, job::build));
      }
      running.add(cluster.submit(1, environment -> FlowPackets.build(environment, rings.path())));
      for (CommandLineJob job : transactionalJobs(rings.path())) {
        cluster.submit(1, job::build);
      }
      return await(new RunningTaps(tap, ends, card), running);
    }
  }

  private static Path made(ScratchFolder folder, String name) throws Exception {
    return Files.createDirectory(folder.path().resolve(name));
  }

  private static Configuration configuration(Path folder) {
    Configuration configuration = new Configuration();
    configuration.setString(
        "metrics.reporter.seen.factory.class", SeenMetrics.Factory.class.getName());
    configuration.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, Duration.ofMillis(500));
    configuration.set(
        CheckpointingOptions.CHECKPOINTS_DIRECTORY,
        folder.resolve("checkpoints").toUri().toString());
    return configuration;
  }

  private static List<CommandLineJob> jobs(Path folder, Path rings) throws Exception {
    Path rules = Files.writeString(folder.resolve("rules.yaml"), RULES);
    List<String> usual =
        List.of(
            "--rings",
            rings.toString(),
            "--bootstrap-servers",
            nobody(),
            "--delivery",
            "at-least-once",
            "--questdb",
            "http://" + nobody());
    return List.of(
        job(new SamplingCommand(), usual, "--one-in", "2"),
        job(new HistogramCommand(), usual),
        job(new AnomalyCommand(), usual),
        job(
            new PlatformCommand(),
            usual,
            "--rules",
            rules.toString(),
            "--functions",
            NoUse.jarIn(folder).toString()));
  }

  private static List<CommandLineJob> transactionalJobs(Path rings) throws Exception {
    List<String> usual = List.of("--rings", rings.toString(), "--bootstrap-servers", nobody());
    return List.of(
        job(new SamplingCommand(), usual, "--one-in", "2", "--name", "sampling-once"),
        job(new AnomalyCommand(), usual, "--name", "anomaly-once"));
  }

  /** Where no server answers, nor will. */
  private static String nobody() throws Exception {
    return "127.0.0.1:" + LoopbackPorts.claimFree();
  }

  private static CommandLineJob job(CommandLineJob job, List<String> usual, String... more) {
    new CommandLine(job)
        .setCaseInsensitiveEnumValuesAllowed(true)
        .parseArgs(Stream.concat(usual.stream(), Stream.of(more)).toArray(String[]::new));
    return job;
  }

  /**
   * Returns the page when all metrics are registered, which is when the page equals the one that is
   * checked in. While the two differ, waits until nothing was registered during some work: metrics
   * of rules come with the first packet of a rule. A time alone says nothing on a busy machine.
   */
  private Page await(RunningTaps taps, List<LocalJob> jobs) throws Exception {
    long deadlineNs = System.nanoTime() + LIMIT.toNanos();
    Duration changed = work();
    int known = 0;
    while (true) {
      List<Registration> seen = SeenMetrics.all();
      if (seen.size() > known) {
        known = seen.size();
        changed = work();
      }
      Optional<Page> page = pageIfComplete(taps, jobs, seen);
      boolean isQuiet = work().minus(changed).compareTo(QUIET_WORK) > 0;
      if (page.isPresent() && (isQuiet || Difference.of(page.get(), project).isEmpty())) {
        return page.get();
      }
      if (System.nanoTime() - deadlineNs > 0) {
        throw new IllegalStateException(tooLate(MetricDescriptions.names(seen), described));
      }
      Thread.sleep(POLL_MS);
    }
  }

  private static Duration work() {
    return ProcessHandle.current().info().totalCpuDuration().orElseThrow();
  }

  /** Checks the cheap conditions first: this is called several times a second. */
  private Optional<Page> pageIfComplete(
      RunningTaps taps, List<LocalJob> jobs, List<Registration> seen) throws Exception {
    if (!MetricDescriptions.names(seen).containsAll(described) || !haveBegun(jobs)) {
      return Optional.empty();
    }
    RunningTaps.TapMetrics metrics = taps.metrics();
    return metrics.isComplete()
        ? Optional.of(new MetricsPage(project, metrics, seen).page())
        : Optional.empty();
  }

  /** Whether the machine was too slow or a description has no metric any more, nobody can tell. */
  static String tooLate(Set<String> seen, Set<String> described) {
    Set<String> missing = new TreeSet<>(described);
    missing.removeAll(seen);
    return "within %d s %s"
        .formatted(
            LIMIT.toSeconds(),
            missing.isEmpty()
                ? "not every job began, or metrics came to the end"
                : "nobody registered what metrics.yaml tells of: " + missing);
  }

  /** Flink begins no checkpoint before all tasks run. */
  private static boolean haveBegun(List<LocalJob> jobs) throws Exception {
    for (LocalJob job : jobs) {
      if (job.checkpoints().getCounts().getNumberOfInProgressCheckpoints() == 0) {
        return false;
      }
    }
    return true;
  }
}
