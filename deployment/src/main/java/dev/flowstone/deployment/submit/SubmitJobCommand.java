// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.deployment.submit;

import dev.flowstone.deployment.ExecutionOptions;
import dev.flowstone.deployment.Installation;
import dev.flowstone.deployment.StateFolder;
import dev.flowstone.deployment.checkpoints.CheckpointFolder;
import dev.flowstone.deployment.checkpoints.CheckpointOptions;
import dev.flowstone.deployment.checkpoints.KeptCheckpoints;
import dev.flowstone.deployment.checkpoints.StartingPoint;
import dev.flowstone.deployment.checkpoints.StopSavepoints;
import dev.flowstone.deployment.cluster.ClusterFolder;
import dev.flowstone.deployment.cluster.JobNames;
import dev.flowstone.jobs.entry.CommandLineJob;
import dev.flowstone.jobs.entry.JobStart;
import dev.flowstone.monitoring.ClusterView;
import dev.flowstone.offheap.Reason;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.RestOptions;
import org.apache.flink.core.execution.JobClient;
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
      description =
          "Savepoint or checkpoint to resume from, as the cluster sees it. Default: on the cluster that"
              + " ./flowstone cluster runs, the newest of this name; on another one, from scratch.")
  private Optional<String> from = Optional.empty();

  @Mixin private CheckpointOptions checkpoints = new CheckpointOptions();

  SubmitJobCommand(CommandLineJob job) {
    this.job = job;
  }

  @Override
  public Integer call() throws Exception {
    if (from.isPresent() && checkpoints.fresh()) {
      throw new IllegalArgumentException("--from and --fresh are mutually exclusive");
    }
    Optional<String> own = ownCluster();
    String address = jobManager.or(() -> own).orElseThrow(SubmitJobCommand::noCluster);
    StreamExecutionEnvironment environment = environment(parse(address));
    if (own.filter(each -> isSame(each, address)).isPresent()) {
      submitHere(address, environment);
    } else {
      submitElsewhere(address, environment);
    }
    return 0;
  }

  private static IllegalArgumentException noCluster() {
    return new IllegalArgumentException(
        "no cluster runs here: ./flowstone cluster start, or name one with --jobmanager HOST:PORT");
  }

  /** To the cluster of this user, whose processes have the same folders as this one. */
  private void submitHere(String address, StreamExecutionEnvironment environment) throws Exception {
    CheckpointFolder folder = checkpoints.of(job.name());
    try (KeptCheckpoints kept = KeptCheckpoints.hold(folder, job.name())) {
      requireStartable(address, environment);
      StopSavepoints.moveTo(folder, ClusterFolder.find().savepoints());
      StartingPoint start =
          from.isPresent()
              ? StartingPoint.named(from.get(), kept, job.name())
              : StartingPoint.newest(kept, job.name(), checkpoints.fresh());
      Configuration state = new Configuration();
      folder.putInto(state);
      environment.configure(state);
      submit(address, environment, start);
      System.out.println("  checkpoints  " + folder.path());
      forgetFormerRuns(start, folder);
    }
  }

  /**
   * When a bounded job ends, Flink deletes its checkpoints. What is left must not be resumed from
   * then.
   */
  private static void forgetFormerRuns(StartingPoint start, CheckpointFolder folder) {
    try {
      start.superseded().delete();
      folder.completion().delete();
    } catch (IOException e) {
      System.err.println(
          "warning: cannot delete what former runs left in "
              + folder.path()
              + ", delete it by hand: "
              + Reason.of(e));
    }
  }

  private void submitElsewhere(String address, StreamExecutionEnvironment environment)
      throws Exception {
    if (checkpoints.isFolderNamed()) {
      throw new IllegalArgumentException(
          "--checkpoints requires the cluster that ./flowstone cluster runs here; "
              + address
              + " has a folder of its own");
    }
    requireStartable(address, environment);
    submit(
        address,
        environment,
        StartingPoint.elsewhere(
            from, checkpoints.ifKnown(job.name()), job.name(), checkpoints.fresh()));
  }

  private void requireStartable(String address, StreamExecutionEnvironment environment)
      throws IOException, InterruptedException {
    JobNames.requireFree(job.name(), ClusterView.at(address), this::stopping);
    job.check(JobStart.in(environment, System.err::println));
  }

  private void submit(String address, StreamExecutionEnvironment environment, StartingPoint start)
      throws IOException {
    Configuration restored = new Configuration();
    start.putInto(restored);
    environment.configure(restored);
    System.out.println(start.words());
    String id = execute(environment);
    System.out.println("submitted " + job.name() + " as job " + id);
    System.out.println("  web          " + ClusterView.at(address).pageOf(id));
    System.out.println("  stop         " + stopping(id));
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

  /** Whether both are one server, as localhost:8081 and 127.0.0.1:8081 are. */
  private static boolean isSame(String one, String other) {
    return resolved(parse(one)).equals(resolved(parse(other)));
  }

  private static InetSocketAddress resolved(Matcher address) {
    return new InetSocketAddress(address.group(1), Integer.parseInt(address.group(2)));
  }

  private static Optional<String> ownCluster() {
    if (!StateFolder.isKnown()) {
      return Optional.empty();
    }
    ClusterFolder cluster = ClusterFolder.find();
    if (!cluster.isSupervised()) {
      return Optional.empty();
    }
    Configuration configuration = cluster.configuration();
    return Optional.of(
        configuration.get(RestOptions.ADDRESS) + ":" + configuration.get(RestOptions.PORT));
  }

  /** The job is built here; its classes travel in its jar. */
  private StreamExecutionEnvironment environment(Matcher address) throws IOException {
    Configuration configuration = Installation.find().configuration();
    execution.putInto(configuration);
    String jar = Installation.find().clusterJar(command.name()).toString();
    StreamExecutionEnvironment environment =
        new RemoteStreamEnvironment(
            address.group(1), Integer.parseInt(address.group(2)), configuration, jar);
    environment.setParallelism(execution.parallelism());
    return environment;
  }

  private String execute(StreamExecutionEnvironment environment) throws IOException {
    job.build(environment);
    try {
      JobClient client = environment.executeAsync(job.name());
      return client.getJobID().toString();
    } catch (Exception e) {
      throw new IOException("the cluster did not take the job: " + Reason.ofRoot(e), e);
    }
  }
}
