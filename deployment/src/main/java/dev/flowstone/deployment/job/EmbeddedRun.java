// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.deployment.job;

import dev.flowstone.commandline.EscapedText;
import dev.flowstone.commandline.StopSignals;
import dev.flowstone.deployment.DiskWatch;
import dev.flowstone.deployment.LocalPort;
import dev.flowstone.deployment.MetricsOption;
import dev.flowstone.deployment.StateFolder;
import dev.flowstone.deployment.checkpoints.CompletionReporter;
import dev.flowstone.deployment.checkpoints.KeptCheckpoints;
import dev.flowstone.deployment.checkpoints.StartingPoint;
import dev.flowstone.deployment.checkpoints.SupersededCheckpoints;
import dev.flowstone.harness.ClusterSize;
import dev.flowstone.harness.JobNews;
import dev.flowstone.harness.LocalCluster;
import dev.flowstone.harness.LocalJob;
import dev.flowstone.harness.ScratchFolder;
import dev.flowstone.jobs.entry.CommandLineJob;
import dev.flowstone.jobs.entry.JobStart;
import dev.flowstone.monitoring.ClusterView;
import dev.flowstone.offheap.Reason;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.configuration.RestOptions;
import org.apache.flink.configuration.WebOptions;
import org.apache.flink.runtime.client.JobExecutionException;

/** One run of a job in this process: from its newest checkpoint to its end, or until told to. */
final class EmbeddedRun {
  private static final int NETWORK_MEBIBYTES = 64;
  private static final int MANAGED_MEBIBYTES = 256;

  /** Flink unpacks a jar of 24 MB at its start, and the log takes 20 MB before it is rolled. */
  private static final long MIN_FREE_BYTES = 64 << 20;

  private static final Duration LOOK_INTERVAL = Duration.ofSeconds(1);

  private final CommandLineJob job;
  private final EmbeddedRunOptions options;
  private final Configuration configuration;
  private final KeptCheckpoints checkpoints;
  private final Path log;
  private final JobProgress progress;
  private final JobNews news = JobNews.listen();
  private SupersededCheckpoints superseded;
  private Optional<String> metricsPort = Optional.empty();

  EmbeddedRun(
      CommandLineJob job,
      EmbeddedRunOptions options,
      Configuration configuration,
      KeptCheckpoints checkpoints,
      Path log) {
    this.job = job;
    this.options = options;
    this.configuration = configuration;
    this.checkpoints = checkpoints;
    this.log = log;
    options.execution.putInto(configuration);
    progress =
        new JobProgress(configuration.getOptional(CheckpointingOptions.CHECKPOINTING_INTERVAL));
  }

  /** The exit status. */
  int run(StopSignals signals) throws Exception {
    configure();
    job.check(jobStart());
    StartingPoint start =
        StartingPoint.newest(checkpoints, job.name(), options.checkpoints.fresh());
    start.putInto(configuration);
    superseded = start.superseded();
    System.out.println(start.words());
    ClusterSize size =
        new ClusterSize(options.execution.parallelism(), NETWORK_MEBIBYTES, MANAGED_MEBIBYTES);
    try (ScratchFolder scratch = ScratchFolder.in(checkpoints.scratch(), "job");
        LocalCluster cluster = start(size, scratch.path())) {
      LocalJob running = cluster.submit(options.execution.parallelism(), job::build);
      System.out.println("  Flink        " + cluster.webUrl() + "  job " + running.id());
      metricsPort.ifPresent(
          port -> System.out.println("  metrics      http://localhost:" + port + "/metrics"));
      System.out.println("  checkpoints  " + checkpoints.folder().path());
      System.out.println("  log          " + log);
      return carryOn(
          running, new FailureWatch(running, ClusterView.ofWeb(cluster.webUrl())), signals);
    }
  }

  private JobStart jobStart() {
    int maxParallelism =
        configuration
            .getOptional(PipelineOptions.MAX_PARALLELISM)
            .orElse(LocalCluster.MAX_PARALLELISM);
    return new JobStart(options.execution.parallelism(), maxParallelism, System.err::println);
  }

  /** Throws if a folder has no space for what Flink writes at its start. */
  static void requireSpace(Path folder) throws IOException {
    StateFolder.requireSpace(folder, MIN_FREE_BYTES, "the temporary files and the log of Flink");
  }

  private LocalCluster start(ClusterSize size, Path scratch) throws IOException {
    requireSpace(scratch);
    configuration.set(CoreOptions.TMP_DIRS, scratch.toString());
    configuration.set(WebOptions.TMP_DIR, scratch.resolve("web").toString());
    configuration.set(WebOptions.UPLOAD_DIR, scratch.resolve("upload").toString());
    // The web UI shows this one job, which is ended where it was started.
    configuration.set(WebOptions.SUBMIT_ENABLE, false);
    configuration.set(WebOptions.CANCEL_ENABLE, false);
    try {
      return LocalCluster.start(size, configuration);
    } catch (Exception e) {
      throw new IOException("Flink cannot start: " + Reason.ofRoot(e), e);
    }
  }

  private void configure() throws IOException {
    int webPort = LocalPort.requireFree(options.webPort, "--web-port").number();
    configuration.set(RestOptions.BIND_PORT, Integer.toString(webPort));
    configuration.set(RestOptions.PORT, webPort);
    configuration.set(PipelineOptions.NAME, job.name());
    checkpoints.folder().putInto(configuration);
    CompletionReporter.putInto(configuration, checkpoints.folder());
    metricsPort = options.metrics.putInto(configuration, 1);
    MetricsOption.addReporter(configuration, "progress", JobMetrics.Factory.class.getName());
  }

  private int carryOn(LocalJob running, FailureWatch failures, StopSignals signals)
      throws Exception {
    DiskWatch disk = new DiskWatch(checkpoints.folder().path());
    while (!awaitEnd(running, LOOK_INTERVAL)) {
      if (signals.isStopping()) {
        stop(running);
        return signals.exitStatus();
      }
      disk.news(JobMetrics.sum("lastCheckpointSize")).ifPresent(progress::say);
      failures.news().ifPresent(progress::say);
      news.take().forEach(line -> progress.say(EscapedText.of(line)));
      failures.requireTaskManager();
      progress.look();
      if (!superseded.isEmpty() && checkpoints.folder().hasAnyOf(running.id())) {
        delete(superseded);
      }
    }
    deleteAll();
    progress.finish();
    progress.say(job.name() + " has ended: its rings say that nothing more will come");
    return 0;
  }

  /** The run goes on without: what is newer than all that is kept in any case. */
  private void delete(SupersededCheckpoints superseded) {
    try {
      superseded.delete();
    } catch (IOException e) {
      sayWhatIsLeft(e);
    }
  }

  private void deleteAll() {
    try {
      checkpoints.folder().deleteAll();
    } catch (IOException e) {
      sayWhatIsLeft(e);
    }
  }

  private void sayWhatIsLeft(IOException e) {
    progress.say(
        "what earlier runs left in "
            + checkpoints.folder().path()
            + " cannot be deleted, do so by hand: "
            + EscapedText.of(Reason.of(e)));
  }

  private boolean awaitEnd(LocalJob running, Duration limit) throws Exception {
    try {
      return running.awaitEnd(limit);
    } catch (JobExecutionException e) {
      progress.say("log: " + log);
      throw new IOException(job.name() + " failed: " + Reason.ofRoot(e), e);
    }
  }

  /** All that it has read is delivered then; where that fails, the latest checkpoint stays. */
  private void stop(LocalJob running) throws Exception {
    try {
      String savepoint = running.stop(checkpoints.folder().path());
      delete(superseded);
      progress.finish();
      progress.say(
          job.name()
              + " has stopped, and what it read is delivered; the next start resumes from "
              + savepoint);
      progress.say(
          "the rings hold its place for --lane-expiry: one that is full meanwhile takes no more"
              + " packets, for no reader. ./flowstone stats RINGS says who holds what, and how to"
              + " give it up");
    } catch (Exception e) {
      progress.finish();
      progress.say(
          "no savepoint ("
              + EscapedText.of(Reason.ofRoot(e))
              + "); the next start resumes from the latest checkpoint, if there is one");
      running.cancel();
    }
  }
}
