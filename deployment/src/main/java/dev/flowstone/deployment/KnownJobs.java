// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.deployment;

import dev.flowstone.jobs.anomaly.AnomalyCommand;
import dev.flowstone.jobs.entry.CommandLineJob;
import dev.flowstone.jobs.histogram.HistogramCommand;
import dev.flowstone.jobs.platform.PlatformCommand;
import dev.flowstone.jobs.sampling.SamplingCommand;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The jobs that can be run by name; a new one is a line here. */
public final class KnownJobs {
  private static final List<Supplier<CommandLineJob>> ALL =
      List.of(
          PlatformCommand::new, SamplingCommand::new, HistogramCommand::new, AnomalyCommand::new);

  private static final String MIXIN = "job";

  private KnownJobs() {}

  /**
   * A command with a subcommand for each job.
   *
   * @param action what each does with its job; its own options come before those of the job
   */
  public static <T> CommandSpec commandForEach(String name, Function<CommandLineJob, T> action) {
    CommandSpec command = CommandSpec.forAnnotatedObject(new NoJob()).name(name);
    for (Supplier<CommandLineJob> each : ALL) {
      CommandLineJob job = each.get();
      CommandSpec options = CommandSpec.forAnnotatedObject(job);
      CommandSpec one = CommandSpec.forAnnotatedObject(action.apply(job)).name(options.name());
      one.addMixin(MIXIN, options);
      command.addSubcommand(one.name(), one);
    }
    return command;
  }

  /** Whoever names no job is told which there are. */
  @Command(mixinStandardHelpOptions = true, synopsisSubcommandLabel = "JOB")
  private static final class NoJob implements Runnable {
    @Spec private CommandSpec command;

    @Override
    public void run() {
      throw new ParameterException(
          command.commandLine(),
          "name a job: " + String.join(", ", command.subcommands().keySet()));
    }
  }
}
