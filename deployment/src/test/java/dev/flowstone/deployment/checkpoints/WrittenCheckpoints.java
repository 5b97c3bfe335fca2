// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.deployment.checkpoints;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.apache.flink.runtime.checkpoint.CheckpointProperties;
import org.apache.flink.runtime.checkpoint.CheckpointRetentionPolicy;
import org.apache.flink.runtime.checkpoint.Checkpoints;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.checkpoint.metadata.CheckpointMetadata;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.state.IncrementalKeyedStateHandle.HandleAndLocalPath;
import org.apache.flink.runtime.state.IncrementalRemoteKeyedStateHandle;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;

/** Writes checkpoints into a folder as Flink does. */
record WrittenCheckpoints(Path folder) {
  Path inside(String name) {
    return folder.resolve(name);
  }

  Path file(String name) throws IOException {
    Path file = inside(name);
    Files.createDirectories(file.getParent());
    return Files.writeString(file, name);
  }

  /** One whose keyed state lies in files that it shares with others. */
  Path whole(String name, long number, Path... shared) throws IOException {
    return whole(
        name,
        number,
        CheckpointProperties.forCheckpoint(CheckpointRetentionPolicy.RETAIN_ON_FAILURE),
        shared);
  }

  Path whole(String name, long number, CheckpointProperties properties, Path... shared)
      throws IOException {
    FileStateHandle own = handle(file(name + "/" + UUID.randomUUID()));
    OperatorState operator = new OperatorState("count", "count", new OperatorID(3, 3), 1, 128);
    operator.putState(
        0,
        OperatorSubtaskState.builder()
            .setManagedKeyedState(
                new IncrementalRemoteKeyedStateHandle(
                    UUID.randomUUID(),
                    new KeyGroupRange(0, 127),
                    number,
                    Stream.of(shared)
                        .map(file -> HandleAndLocalPath.of(handle(file), "000001.sst"))
                        .toList(),
                    List.of(),
                    own))
            .build());
    CheckpointMetadata metadata =
        new CheckpointMetadata(number, List.of(operator), List.of(), properties);
    try (OutputStream out = Files.newOutputStream(inside(name).resolve("_metadata"))) {
      Checkpoints.storeCheckpointMetadata(metadata, out);
    }
    return inside(name);
  }

  private static FileStateHandle handle(Path file) {
    return new FileStateHandle(new org.apache.flink.core.fs.Path(file.toUri()), 100);
  }
}
