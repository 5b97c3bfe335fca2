// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import dev.flowstone.harness.ClusterSize;
import dev.flowstone.harness.LocalCluster;
import dev.flowstone.harness.LocalJob;
import dev.flowstone.harness.ScratchFolder;
import dev.flowstone.stages.StageBoard;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.function.Consumer;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.runtime.rpc.RpcSystem;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** One job without end on a cluster of its own in this process; closing it cancels the job. */
final class FlinkRun implements AutoCloseable {
  private static final Duration DEFAULT_CHECKPOINT_INTERVAL = Duration.ofSeconds(1);
  private static final Duration POLL = Duration.ofMillis(10);
  private static final int NETWORK_MEBIBYTES = 64;
  private static final int MANAGED_MEBIBYTES = 32;

  /** What flink-conf tells the jobs of users. */
  private static final Duration USERS_CHECKPOINT_INTERVAL = Duration.ofSeconds(2);

  /** As much as flink-conf leaves to RocksDB in a process of 2 GB. */
  private static final int USERS_MANAGED_MEBIBYTES = 512;

  private static final RpcSystem RPC = loadRpc();

  private final ScratchFolder folder;
  private final LocalCluster cluster;
  private final LocalJob job;
  private boolean isClosed;

  private FlinkRun(ScratchFolder folder, LocalCluster cluster, LocalJob job) {
    this.folder = folder;
    this.cluster = cluster;
    this.job = job;
  }

  /** Its jar is gone when this JVM ends. */
  private static RpcSystem loadRpc() {
    Configuration configuration = new Configuration();
    try {
      configuration.set(CoreOptions.TMP_DIRS, ScratchFolder.onDisk("bench-rpc").path().toString());
    } catch (IOException e) {
      throw new UncheckedIOException("no room for a jar of Flink's", e);
    }
    return RpcSystem.load(configuration);
  }

  static FlinkRun start(int parallelism, Consumer<StreamExecutionEnvironment> build)
      throws Exception {
    return start(parallelism, DEFAULT_CHECKPOINT_INTERVAL, build);
  }

  /** The same with another interval between checkpoints. */
  static FlinkRun start(
      int parallelism, Duration checkpointInterval, Consumer<StreamExecutionEnvironment> build)
      throws Exception {
    Configuration configuration = new Configuration();
    configuration.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, checkpointInterval);
    return start(parallelism, MANAGED_MEBIBYTES, configuration, build);
  }

  /** With state in RocksDB and incremental checkpoints on disk, as flink-conf has it. */
  static FlinkRun startAsUsersDo(int parallelism, Consumer<StreamExecutionEnvironment> build)
      throws Exception {
    return startAsUsersDo(parallelism, USERS_CHECKPOINT_INTERVAL, build);
  }

  /**
   * The same with another interval between checkpoints.
   *
   * @param checkpointInterval zero: no checkpoints
   */
  static FlinkRun startAsUsersDo(
      int parallelism, Duration checkpointInterval, Consumer<StreamExecutionEnvironment> build)
      throws Exception {
    Configuration configuration = new Configuration();
    configuration.set(StateBackendOptions.STATE_BACKEND, "rocksdb");
    configuration.set(CheckpointingOptions.INCREMENTAL_CHECKPOINTS, true);
    if (!checkpointInterval.isZero()) {
      configuration.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, checkpointInterval);
    }
    return start(parallelism, USERS_MANAGED_MEBIBYTES, configuration, build);
  }

  private static FlinkRun start(
      int parallelism,
      int managedMebibytes,
      Configuration configuration,
      Consumer<StreamExecutionEnvironment> build)
      throws Exception {
    ScratchFolder folder = ScratchFolder.onDisk("bench");
    String path = folder.path().toString();
    configuration.set(RestartStrategyOptions.RESTART_STRATEGY, "none");
    configuration.set(CoreOptions.TMP_DIRS, path);
    configuration.set(CheckpointingOptions.CHECKPOINTS_DIRECTORY, folder.path().toUri().toString());
    LocalCluster cluster = null;
    try {
      cluster =
          LocalCluster.start(
              new ClusterSize(parallelism, NETWORK_MEBIBYTES, managedMebibytes),
              configuration,
              RPC);
      return new FlinkRun(folder, cluster, cluster.submit(parallelism, build));
    } catch (Exception e) {
      if (cluster != null) {
        cluster.close();
      }
      folder.close();
      throw e;
    }
  }

  LocalJob job() {
    return job;
  }

  /** Over all operators that have this number. */
  long sumOfStages(String name) {
    return StageBoard.ofThisProcess().now(job.id().toString()).stream()
        .mapToLong(stage -> stage.values().getOrDefault(name, 0L).longValue())
        .sum();
  }

  /** Returns when the stages say at least so much. */
  void awaitStages(String name, long least, Duration limit) {
    long endNs = System.nanoTime() + limit.toNanos();
    while (sumOfStages(name) < least) {
      if (System.nanoTime() - endNs > 0) {
        throw new IllegalStateException(
            "no " + name + " of " + least + " within " + limit.toSeconds() + " s");
      }
      Windows.await(POLL);
    }
  }

  /** Of a job that ends by itself. */
  void awaitEnd(Duration limit) throws Exception {
    if (!job.awaitEnd(limit)) {
      throw new IllegalStateException("the job did not end within " + limit.toSeconds() + " s");
    }
  }

  /** Throws what the job failed with, if it did; a window with a failed job in it is void. */
  void requireRunning() throws Exception {
    if (!job.isRunning()) {
      job.awaitEnd(Duration.ofSeconds(1));
      throw new IllegalStateException("the job ended while it was measured");
    }
  }

  /** Throws if state had no room for all flows: less was done than is measured. */
  void requireRoom() {
    long packets = sumOfStages("packetsWithoutRoom");
    if (packets > 0) {
      throw new IllegalStateException(packets + " packets found no room: the measurement is void");
    }
  }

  /** May be called again: who reads back what the job wrote ends it before. */
  @Override
  public void close() {
    if (isClosed) {
      return;
    }
    isClosed = true;
    try (folder;
        cluster) {
      job.cancel();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (Exception e) {
      throw new IllegalStateException("the job under measurement does not stop", e);
    }
  }
}
