// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.deployment.checkpoints;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.metrics.MetricConfig;
import org.apache.flink.runtime.checkpoint.CheckpointStatsTracker;
import org.apache.flink.traces.Span;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CompletionReporterTest {
  @TempDir private Path parent;
  private CheckpointFolder folder;
  private final CompletionReporter reporter = new CompletionReporter();

  @BeforeEach
  void open() throws IOException {
    folder = new CheckpointFolder(Files.createDirectory(parent.resolve("kept")));
    Configuration configuration = new Configuration();
    CompletionReporter.putInto(configuration, folder);
    MetricConfig config = new MetricConfig();
    config.setProperty("folder", configuration.toMap().get("traces.reporter.completion.folder"));
    reporter.open(config);
  }

  private void report(Class<?> scope, String name, long number, String status, String type) {
    reporter.notifyOfAddedSpan(
        Span.builder(scope, name)
            .setAttribute("checkpointId", number)
            .setAttribute("checkpointStatus", status)
            .setAttribute("checkpointType", type)
            .build(Map.of()));
  }

  private void report(long number, String status, String type) {
    report(CheckpointStatsTracker.class, "Checkpoint", number, status, type);
  }

  @Test
  void recordsCheckpointsAndTheSavepointOfAStopOnceTheyAreComplete() throws IOException {
    report(7, "COMPLETED", "Checkpoint");
    assertThat(folder.completion().number()).hasValue(7);
    report(8, "FAILED", "Checkpoint");
    assertThat(folder.completion().number()).hasValue(7);
    report(9, "COMPLETED", "Suspend Savepoint");
    assertThat(folder.completion().number()).hasValue(9);
  }

  /** It commits nothing, and may be stored anywhere. */
  @Test
  void skipsSavepointsThatDoNotStopTheJobAndOtherSpans() throws IOException {
    report(7, "COMPLETED", "Savepoint");
    report(CheckpointStatsTracker.class, "JobInitialization", 7, "COMPLETED", "Checkpoint");
    report(CompletionReporterTest.class, "Checkpoint", 7, "COMPLETED", "Checkpoint");
    assertThat(folder.completion().number()).isEmpty();
  }

  @Test
  void keepsTheFormerNumberWhereItCannotWrite() throws IOException {
    report(7, "COMPLETED", "Checkpoint");
    Files.createDirectory(folder.path().resolve("newest-completed.new"));
    assertThatThrownBy(() -> report(8, "COMPLETED", "Checkpoint"))
        .isInstanceOf(UncheckedIOException.class);
    assertThat(folder.completion().number()).hasValue(7);
  }

  @Test
  void joinsTheReportersThatTheUserListed() {
    Configuration configuration = new Configuration();
    configuration.setString("traces.reporters", "otel");
    CompletionReporter.putInto(configuration, folder);
    assertThat(configuration.toMap())
        .containsEntry("traces.reporters", "otel,completion")
        .containsEntry(
            "traces.reporter.completion.factory.class", CompletionReporter.Factory.class.getName());
  }
}
