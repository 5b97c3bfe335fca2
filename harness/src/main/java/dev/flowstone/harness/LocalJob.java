// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.harness;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.flink.api.common.JobExecutionResult;
import org.apache.flink.api.common.JobID;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.checkpoint.CheckpointStatsSnapshot;
import org.apache.flink.runtime.executiongraph.ErrorInfo;
import org.apache.flink.runtime.jobmaster.JobResult;
import org.apache.flink.runtime.minicluster.MiniCluster;

/** A job on a cluster in this process; it lives no longer than that. */
public final class LocalJob {
  private static final long ANSWER_LIMIT_SECONDS = 30;

  private final MiniCluster cluster;
  private final JobID id;

  LocalJob(MiniCluster cluster, JobID id) {
    this.cluster = cluster;
    this.id = id;
  }

  public JobID id() {
    return id;
  }

  public boolean isRunning() throws Exception {
    return !answer(cluster.getJobStatus(id)).isGloballyTerminalState();
  }

  private static <T> T answer(CompletableFuture<T> asked) throws Exception {
    try {
      return asked.get(ANSWER_LIMIT_SECONDS, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      throw new IOException("Flink gave no answer for " + ANSWER_LIMIT_SECONDS + " s", e);
    }
  }

  /** What it says in the end, or what it failed with. */
  public CompletableFuture<JobExecutionResult> result() {
    return cluster.requestJobResult(id).thenApply(LocalJob::unwrap);
  }

  private static JobExecutionResult unwrap(JobResult result) {
    try {
      return result.toJobExecutionResult(LocalJob.class.getClassLoader());
    } catch (Exception e) {
      throw new CompletionException(e);
    }
  }

  /** Waits for its end; false: not yet. Throws its failure. */
  public boolean awaitEnd(Duration limit) throws Exception {
    try {
      result().get(limit.toMillis(), TimeUnit.MILLISECONDS);
      return true;
    } catch (TimeoutException running) {
      return false;
    } catch (ExecutionException e) {
      throw e.getCause() instanceof Exception cause ? cause : e;
    }
  }

  /** Why it was restarted last or has failed; empty: it never was. */
  public Optional<Throwable> latestFailure() throws Exception {
    ErrorInfo failure = answer(cluster.getArchivedExecutionGraph(id)).getFailureInfo();
    return Optional.ofNullable(failure)
        .map(info -> info.getException().deserializeError(LocalJob.class.getClassLoader()));
  }

  /** What its checkpoints were so far. */
  public CheckpointStatsSnapshot checkpoints() throws Exception {
    return answer(cluster.getArchivedExecutionGraph(id)).getCheckpointStatsSnapshot();
  }

  /**
   * Ends it where it stands: what it has read so far is delivered and stands in a savepoint, and
   * time goes no further, so that it can go on from there. Returns when it has ended.
   *
   * @param folder in which the savepoint is made
   * @return the savepoint's path, as Flink writes it
   */
  public String stop(Path folder) throws Exception {
    boolean toTheEndOfTime = false;
    String savepoint =
        answer(
            cluster.stopWithSavepoint(
                id, folder.toUri().toString(), toTheEndOfTime, SavepointFormatType.NATIVE));
    answer(cluster.requestJobResult(id));
    return savepoint;
  }

  /** Cancels it if it runs; returns when it has ended, however. */
  public void cancel() throws Exception {
    if (isRunning()) {
      answer(cluster.cancelJob(id));
      answer(cluster.requestJobResult(id));
    }
  }
}
