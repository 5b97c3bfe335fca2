// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.sql.connector.source;

import dev.flowstone.offheap.ring.RingDirectory;
import dev.flowstone.offheap.ring.RingFile;
import dev.flowstone.offheap.ring.RingLanes;
import dev.flowstone.offheap.ring.RingOccupants;
import dev.flowstone.tap.RecordedRings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.core.execution.CheckpointingMode;
import org.apache.flink.streaming.api.operators.collect.CollectSinkOperatorFactory;
import org.apache.flink.table.api.TableResult;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.types.Row;
import org.apache.flink.util.CloseableIterator;

/**
 * A query that goes on, and what it holds of the first ring. Checkpoints are taken when a test asks
 * for one. Its maker closes it, and its lane is free then.
 */
final class LiveQuery implements AutoCloseable {
  private static final long LOOK_MS = 20;
  private static final Duration RARELY = Duration.ofHours(1);

  /** Behind the first record of a ring, which is of its clock. */
  private static final long BEGIN = 1;

  private final String reader;
  private final RingFile ring;
  private final JobID job;
  private final CloseableIterator<Row> rows;

  /**
   * Begins it.
   *
   * @param reader its name in the ring
   * @param options of its table besides, each with a comma before it
   */
  LiveQuery(Path rings, String reader, String options) throws Exception {
    this.reader = reader;
    ring = RingFile.open(new RingDirectory(rings).ringFile(0));
    StreamTableEnvironment tables =
        StreamTableEnvironment.create(
            SharedCluster.environment(rareCheckpoints(), RecordedRings.RINGS));
    tables.executeSql(
        "CREATE TEMPORARY TABLE live (frame_length INT NOT NULL,"
            + " lost_before BIGINT NOT NULL METADATA) WITH ('connector' = 'fpga',"
            + " 'rings' = '%s', 'start' = 'oldest', 'reader-name' = '%s'%s)"
                .formatted(rings, reader, options));
    TableResult result =
        tables.executeSql("SELECT lost_before, frame_length, REPEAT('-', 100) FROM live");
    job = result.getJobClient().orElseThrow().getJobID();
    rows = result.collect();
  }

  /**
   * Rows are shown before they are in a checkpoint, and few are on their way. Without the minimum
   * pause, Flink takes a first checkpoint as soon as all tasks run.
   */
  private static Configuration rareCheckpoints() {
    Configuration configuration = new Configuration();
    configuration.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, RARELY);
    configuration.set(CheckpointingOptions.MIN_PAUSE_BETWEEN_CHECKPOINTS, RARELY);
    configuration.set(
        CheckpointingOptions.CHECKPOINTING_CONSISTENCY_MODE, CheckpointingMode.AT_LEAST_ONCE);
    configuration.set(CollectSinkOperatorFactory.MAX_BATCH_SIZE, MemorySize.parse("256kb"));
    return configuration;
  }

  void read(int count) {
    for (int row = 0; row < count; row++) {
      rows.next();
    }
  }

  /** What a query that ends has told by then. */
  record Told(long packets, long lost) {}

  Told readAll() {
    long packets = 0;
    long lost = 0;
    while (rows.hasNext()) {
      lost += (Long) rows.next().getField(0);
      packets++;
    }
    return new Told(packets, lost);
  }

  /** Whether the tap was given space back. */
  boolean hasReleased() throws InterruptedException {
    return lane().releasedPosition() > BEGIN;
  }

  /**
   * Takes checkpoints until the tap was given space back. The first may find nothing read, or a
   * part of the query that does not run yet. Flink notifies the source after a checkpoint is
   * complete.
   */
  void readUntilReleased() throws InterruptedException {
    while (!hasReleased()) {
      CompletableFuture<Long> checkpoint = SharedCluster.checkpoint(job);
      // What is on its way holds it up until somebody takes it.
      while (!checkpoint.isDone()) {
        read(1);
      }
      Thread.sleep(LOOK_MS);
    }
  }

  /** Its lane, once it has one: rows of the other ring may come before. */
  RingLanes.Occupant lane() throws InterruptedException {
    while (lanes().isEmpty()) {
      Thread.sleep(LOOK_MS);
    }
    return lanes().getFirst();
  }

  private List<RingLanes.Occupant> lanes() {
    return RingOccupants.of(ring).readers().stream()
        .filter(occupant -> occupant.name().equals(reader))
        .toList();
  }

  @Override
  public void close() {
    try (ring) {
      rows.close();
      lanes().forEach(lane -> ring.lanes().free(lane.lane()));
    } catch (Exception e) {
      throw new IllegalStateException(reader + " does not end", e);
    }
  }
}
