// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.deployment.submit;

import dev.flowstone.deployment.ExecutionOptions;
import dev.flowstone.deployment.Installation;
import dev.flowstone.deployment.cluster.ClusterFolder;
import dev.flowstone.jobs.entry.CommandLineJob;
import dev.flowstone.jobs.entry.JobStart;
import dev.flowstone.monitoring.ClusterView;
import dev.flowstone.offheap.Reason;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.RestOptions;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.runtime.jobgraph.SavepointRestoreSettings;
import org.apache.flink.streaming.api.environment.RemoteStreamEnvironment;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code ./flowstone submit NAME}. */
@Command
final class SubmitJobCommand implements Callable<Integer> {
  private static final Pattern ADDRESS = Pattern.compile("([^:\\s]+|\\[\\S+]):(\\d{1,5})");

  private final CommandLineJob job;

  @Spec private CommandSpec command;

  @Mixin private ExecutionOptions execution;

  @Option(
      names = "--jobmanager",
      paramLabel = "HOST:PORT",
      description = "REST address of the cluster. Default: the one that ./flowstone cluster runs.")
  private Optional<String> jobManager = Optional.empty();

  @Option(
      names = "--from",
      paramLabel = "PATH",
      description = "Savepoint or checkpoint to go on from, as the cluster sees it.")
  private Optional<String> from = Optional.empty();

  SubmitJobCommand(CommandLineJob job) {
    this.job = job;
  }

  @Override
  public Integer call() throws Exception {
    Configuration configuration = Installation.find().configuration();
    execution.putInto(configuration);
    Matcher address = parse(jobManager.orElseGet(SubmitJobCommand::ownCluster));
    ClusterView view = ClusterView.at(address.group());
    requireFreeName(view);
    StreamExecutionEnvironment environment = environment(address, configuration);
    job.check(JobStart.in(environment, System.err::println));
    String id = submit(environment);
    System.out.println("submitted " + job.name() + " as job " + id);
    System.out.println("  web   " + view.pageOf(id));
    System.out.println(
        "  end   " + stopping(id) + "    with a savepoint, which --from goes on from");
    return 0;
  }

  /** Jobs of one name have one transaction prefix at Kafka, and fence each other for ever. */
  private void requireFreeName(ClusterView view) throws IOException, InterruptedException {
    Optional<ClusterView.Job> namesake =
        view
            .jobs()
            .orElseThrow(() -> new IOException("no Flink answers at " + view.address()))
            .stream()
            .filter(other -> other.isAtWork() && other.name().equals(job.name()))
            .findFirst();
    if (namesake.isPresent()) {
      String id = namesake.get().id();
      throw new IllegalStateException(
          "the cluster has a job \"%s\" already (%s, %s): give this one a name of its own (--name), or end that one: %s"
              .formatted(job.name(), id, namesake.get().state(), stopping(id)));
    }
  }

  private String stopping(String id) {
    return "./flowstone flink stop" + jobManager.map(other -> " -m " + other).orElse("") + " " + id;
  }

  private static Matcher parse(String address) {
    Matcher parts = ADDRESS.matcher(address);
    if (!parts.matches()) {
      throw new IllegalArgumentException("--jobmanager is HOST:PORT, not " + address);
    }
    return parts;
  }

  private static String ownCluster() {
    ClusterFolder cluster = ClusterFolder.find();
    if (!cluster.isSupervised()) {
      throw new IllegalArgumentException(
          "no cluster runs here: ./flowstone cluster start, or name one with --jobmanager"
              + " HOST:PORT");
    }
    Configuration configuration = cluster.configuration();
    return configuration.get(RestOptions.ADDRESS) + ":" + configuration.get(RestOptions.PORT);
  }

  /** The job is built here; its classes travel in its jar. */
  private StreamExecutionEnvironment environment(Matcher address, Configuration configuration)
      throws IOException {
    String jar = Installation.find().clusterJar(command.name()).toString();
    StreamExecutionEnvironment environment =
        new RemoteStreamEnvironment(
            address.group(1),
            Integer.parseInt(address.group(2)),
            configuration,
            new String[] {jar},
            null,
            from.map(SavepointRestoreSettings::forPath).orElse(SavepointRestoreSettings.none()));
    environment.setParallelism(execution.parallelism());
    return environment;
  }

  private String submit(StreamExecutionEnvironment environment) throws IOException {
    job.build(environment);
    try {
      JobClient client = environment.executeAsync(job.name());
      return client.getJobID().toString();
    } catch (Exception e) {
      throw new IOException("the cluster did not take the job: " + Reason.ofRoot(e), e);
    }
  }
}
