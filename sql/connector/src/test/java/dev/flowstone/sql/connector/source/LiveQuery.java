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
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.core.execution.CheckpointingMode;
import org.apache.flink.streaming.api.operators.collect.CollectSinkOperatorFactory;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.types.Row;
import org.apache.flink.util.CloseableIterator;

/**
 * A query that goes on, and what it holds of the first ring. Flink takes a checkpoint when it
 * begins, and the next in an hour. Its maker closes it, and its lane is free then.
 */
final class LiveQuery implements AutoCloseable {
  private static final long LOOK_MS = 20;
  private static final int SOME = 1_000;

  /** Behind the first record of a ring, which is of its clock. */
  private static final long BEGIN = 1;

  private final String reader;
  private final RingFile ring;
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
        "CREATE TEMPORARY TABLE live (frame_length INT NOT NULL) WITH ('connector' = 'fpga',"
            + " 'rings' = '%s', 'start' = 'oldest', 'reader-name' = '%s'%s)"
                .formatted(rings, reader, options));
    rows = tables.executeSql("SELECT frame_length, REPEAT('-', 100) FROM live").collect();
  }

  /** Rows are shown before they are in a checkpoint, and few are on their way. */
  private static Configuration rareCheckpoints() {
    Configuration configuration = new Configuration();
    configuration.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, Duration.ofHours(1));
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

  /** Reads on until the tap was given space back: what is on its way holds up a checkpoint, too. */
  long readUntilReleased() throws InterruptedException {
    while (lane().releasedPosition() <= BEGIN) {
      read(SOME);
      Thread.sleep(LOOK_MS);
    }
    return lane().releasedPosition();
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
