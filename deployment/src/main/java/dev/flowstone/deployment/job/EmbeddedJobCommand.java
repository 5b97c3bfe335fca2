// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.deployment.job;

import dev.flowstone.commandline.StopSignals;
import dev.flowstone.deployment.Installation;
import dev.flowstone.deployment.StateFolder;
import dev.flowstone.deployment.checkpoints.KeptCheckpoints;
import dev.flowstone.deployment.checkpoints.StopSavepoints;
import dev.flowstone.deployment.cluster.ClusterFolder;
import dev.flowstone.deployment.cluster.JobNames;
import dev.flowstone.harness.FatalErrors;
import dev.flowstone.jobs.entry.CommandLineJob;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code ./flowstone job NAME}. */
@Command
final class EmbeddedJobCommand implements Callable<Integer> {
  private static final int FAILED = 1;

  private final CommandLineJob job;

  @Mixin private EmbeddedRunOptions options;

  EmbeddedJobCommand(CommandLineJob job) {
    this.job = job;
  }

  @Override
  public Integer call() throws Exception {
    Path folder = StateFolder.make(StateFolder.find().job(job.name()));
    EmbeddedRun.requireSpace(folder);
    Path log = folder.resolve("flink.log");
    System.setProperty("flowstone.log", log.toString());
    FatalErrors.listen(
        error -> end(FAILED, "flowstone: " + FatalErrors.explain(error) + "; log: " + log));
    StopSignals signals =
        StopSignals.listen(
            "stopping with a last savepoint; Ctrl-C again stops at once",
            System.err::println,
            status -> end(status, "stopped at once; the latest checkpoint stays"));
    try (KeptCheckpoints kept =
        KeptCheckpoints.hold(options.checkpoints.of(job.name()), job.name())) {
      JobNames.requireFree(job.name());
      StopSavepoints.moveTo(kept.folder(), ClusterFolder.find().savepoints());
      return new EmbeddedRun(job, options, Installation.find().configuration(), kept, log)
          .run(signals);
    }
  }

  private static void end(int status, String words) {
    System.err.println(words);
    Runtime.getRuntime().halt(status);
  }
}
