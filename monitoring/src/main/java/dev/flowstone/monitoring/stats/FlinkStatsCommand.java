// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.monitoring.stats;

import dev.flowstone.commandline.CommandRunner;
import dev.flowstone.commandline.EscapedText;
import dev.flowstone.monitoring.ClusterView;
import dev.flowstone.monitoring.JobRestarts;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code ./flowstone stats --flink}: where are my packets? The counters of a job's stages. */
@Command(
    name = "stats",
    mixinStandardHelpOptions = true,
    description =
        "Shows what the stages of a job have counted since it was started, whether every packet is"
            + " accounted for, and whether the job reads, delivers and makes checkpoints; exit"
            + " status 1 if not.",
    footer = {"", "  ./flowstone stats --flink http://localhost:8081"})
public final class FlinkStatsCommand implements Callable<Integer> {
  private static final String USUAL_ADDRESS = "http://localhost:8081";
  private static final int NOT_RIGHT = 1;
  private static final double MS_PER_SECOND = 1e3;

  /** So long Flink may take to ask its processes. */
  private static final Duration ANSWER = Duration.ofMillis(300);

  /** What is worth a word to whoever waits. */
  private static final Duration SHORT = Duration.ofSeconds(3);

  @Option(
      names = "--flink",
      required = true,
      arity = "0..1",
      fallbackValue = USUAL_ADDRESS,
      paramLabel = "URL",
      description = "Flink's web address; default ${FALLBACK-VALUE}.")
  private String flink;

  @Option(
      names = "--job",
      paramLabel = "JOB",
      description = "Name of the job, or how its id begins. Default: the only one that runs.")
  private Optional<String> asked = Optional.empty();

  @Override
  public Integer call() throws Exception {
    ClusterView cluster =
        flink.contains("://")
            ? ClusterView.ofWeb(flink.replaceAll("/+$", ""))
            : ClusterView.at(flink);
    ClusterView.Job job = RunningJob.find(cluster, asked);
    JobCounters counters = new JobCounters(cluster, job.id());
    Duration wait = counters.age().plus(ANSWER);
    if (wait.compareTo(SHORT) > 0) {
      System.err.printf(
          "looking twice, and Flink looks each %d s (metrics.fetcher.update-interval): wait%n",
          counters.age().toSeconds());
    }
    Look.ask(counters);
    Look first = Look.at(counters, wait);
    Look second = Look.at(counters, wait);
    List<OperatorCounters> stages = second.stages();
    if (stages.isEmpty()) {
      throw new IOException(
          "job %s has no counters of Flowstone's stages, or none yet: its tasks may not have started"
              .formatted(EscapedText.of(job.name())));
    }
    System.out.printf(
        "%s  %s  %s  %s%n", EscapedText.of(job.name()), job.id(), job.state(), cluster.address());
    double seconds = (second.timeMs() - first.timeMs()) / MS_PER_SECOND;
    StageLines.of(first.stages(), stages, seconds).forEach(System.out::println);
    JobRestarts restarts = JobRestarts.of(cluster, job.id());
    if (restarts.count() > 0) {
      System.out.println("Flink started this job again; the counters are those since then");
    }
    restarts.lines().forEach(line -> System.out.println("  " + line));
    return verdict(
        new Account(first.stages()),
        new Account(stages),
        counters.health(second.reading()).problems());
  }

  /** What Flink told at one moment. */
  private record Look(long timeMs, JobReading reading) {
    static Look at(JobCounters counters, Duration after) throws Exception {
      Thread.sleep(after);
      ask(counters);
      return new Look(System.currentTimeMillis(), counters.read());
    }

    List<OperatorCounters> stages() {
      return reading.stages();
    }

    static void ask(JobCounters counters) throws Exception {
      counters.ask();
      Thread.sleep(ANSWER);
    }
  }

  private static int verdict(Account first, Account second, List<String> problems) {
    List<Account.Pair> before = first.pairs();
    List<Account.Pair> now = second.pairs();
    boolean isAtRest = before.equals(now) || before.size() != now.size();
    List<Account.Pair> different =
        IntStream.range(0, now.size())
            .filter(
                i -> isAtRest ? !now.get(i).isEqual() : !before.get(i).mayBecomeEqual(now.get(i)))
            .mapToObj(now::get)
            .toList();
    System.out.println(second.equation());
    if (!different.isEmpty()) {
      System.out.println("NOT BALANCED");
      different.forEach(pair -> System.out.println("  " + pair));
    }
    problems.forEach(problem -> System.out.println("NOT HEALTHY: " + problem));
    if (!different.isEmpty() || !problems.isEmpty()) {
      return NOT_RIGHT;
    }
    System.out.println(
        isAtRest
            ? "every packet accounted for"
            : "every packet accounted for, but for those on their way: packets came between two looks");
    return 0;
  }

  public static void main(String[] arguments) {
    System.exit(CommandRunner.run(new FlinkStatsCommand(), arguments));
  }
}
