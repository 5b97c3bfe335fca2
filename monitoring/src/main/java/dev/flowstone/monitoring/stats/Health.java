// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.monitoring.stats;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * Whether a running job reads, delivers and makes checkpoints.
 *
 * @param state Flink's, such as RUNNING
 * @param running since Flink started it last
 * @param rings of its source; empty: it has no source of Flowstone, or its tasks do not run yet
 * @param sinks that send to Kafka or QuestDB
 * @param checkpoints empty: it makes none
 */
public record Health(
    String state,
    Duration running,
    Optional<Rings> rings,
    List<Sink> sinks,
    Optional<Checkpoints> checkpoints) {

  /** The longest silence of a healthy receiver, and the longest delay of a healthy checkpoint. */
  public static final Duration LIMIT = Duration.ofSeconds(10);

  private static final String RUNNING = "RUNNING";

  /** Of a job whose tasks Flink has to start again, or could not. */
  private static final Set<String> FAILING_STATES =
      Set.of("FAILING", "FAILED", "RESTARTING", "SUSPENDED");

  private static final double MS_PER_SECOND = 1e3;

  /**
   * The rings of a source.
   *
   * @param missing those whose files are not there
   * @param waitingPackets in all of them
   * @param unreadMs for so long one of them was not read, although records wait in it
   */
  public record Rings(long assigned, long missing, long waitingPackets, long unreadMs) {}

  /**
   * A sink and its receiver.
   *
   * @param unconfirmed messages or results that its receiver has not confirmed
   * @param silenceMs for so long the receiver has confirmed nothing of them
   */
  public record Sink(String title, long unconfirmed, long silenceMs) {
    boolean isSilent() {
      return silenceMs > LIMIT.toMillis();
    }
  }

  /**
   * How a job makes checkpoints.
   *
   * @param sinceLatest since the latest one completed, or since the job runs
   */
  public record Checkpoints(Duration interval, Duration sinceLatest) {
    boolean areOverdue() {
      return sinceLatest.compareTo(interval.plus(LIMIT)) > 0;
    }
  }

  /** One line for each; none: the job is healthy, or begins or ends. */
  public List<String> problems() {
    List<String> problems = new ArrayList<>();
    if (FAILING_STATES.contains(state)) {
      problems.add("the job is " + state);
    }
    if (!state.equals(RUNNING)) {
      return problems;
    }
    rings.ifPresent(each -> addProblems(each, problems));
    long waitingPackets = rings.map(Rings::waitingPackets).orElse(0L);
    sinks.stream()
        .filter(Sink::isSilent)
        .map(
            sink ->
                String.format(
                    Locale.ROOT,
                    "%s: nothing confirmed for %,d s, %,d unconfirmed; %,d packets wait in rings",
                    sink.title(),
                    Duration.ofMillis(sink.silenceMs()).toSeconds(),
                    sink.unconfirmed(),
                    waitingPackets))
        .forEach(problems::add);
    checkpoints
        .filter(Checkpoints::areOverdue)
        .map(
            each ->
                String.format(
                    Locale.ROOT,
                    "no checkpoint completed for %,d s, the interval is %,.1f s; %,d packets wait in rings",
                    each.sinceLatest().toSeconds(),
                    each.interval().toMillis() / MS_PER_SECOND,
                    waitingPackets))
        .ifPresent(problems::add);
    return problems;
  }

  /** A source that has just begun has no ring yet. */
  private void addProblems(Rings each, List<String> problems) {
    if (each.assigned() == 0 && running.compareTo(LIMIT) > 0) {
      problems.add("the source reads no ring: no tap has made one in the folder of --rings");
    }
    if (each.missing() > 0) {
      problems.add(
          "%d of %d rings have no file: no tap runs".formatted(each.missing(), each.assigned()));
    }
    if (each.unreadMs() > LIMIT.toMillis()) {
      problems.add(
          String.format(
              Locale.ROOT,
              "nothing read of a ring for %,d s; %,d packets wait in rings",
              Duration.ofMillis(each.unreadMs()).toSeconds(),
              each.waitingPackets()));
    }
  }
}
