// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.deployment.checkpoints;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.TraceOptions;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.metrics.MetricConfig;
import org.apache.flink.runtime.checkpoint.CheckpointStatsStatus;
import org.apache.flink.runtime.checkpoint.CheckpointStatsTracker;
import org.apache.flink.runtime.checkpoint.SavepointType;
import org.apache.flink.traces.Span;
import org.apache.flink.traces.reporter.TraceReporter;
import org.apache.flink.traces.reporter.TraceReporterFactory;

/**
 * Records each checkpoint that the job of this process completes. Flink calls it on the
 * JobManager's thread before tasks are notified, and so before Kafka commits: each delivered packet
 * is in a checkpoint that is recorded.
 */
public final class CompletionReporter implements TraceReporter {
  private static final String NAME = "completion";
  private static final String PREFIX = "traces.reporter." + NAME + ".";
  private static final String FOLDER = "folder";

  /** Commits nothing, unlike a savepoint that stops the job, and may be stored anywhere. */
  private static final String INTERMEDIATE_SAVEPOINT =
      SavepointType.savepoint(SavepointFormatType.NATIVE).getName();

  private CompletionRecord record;

  /** Flink finds it as {@code traces.reporter.NAME.factory.class}. */
  public static final class Factory implements TraceReporterFactory {
    @Override
    public TraceReporter createTraceReporter(Properties properties) {
      return new CompletionReporter();
    }
  }

  /** Makes the one job of this process record what it completes. */
  public static void putInto(Configuration configuration, CheckpointFolder folder) {
    configuration.setString(PREFIX + "factory.class", Factory.class.getName());
    configuration.setString(PREFIX + FOLDER, folder.path().toString());
    configuration
        .getOptional(TraceOptions.TRACE_REPORTERS_LIST)
        .ifPresent(list -> configuration.set(TraceOptions.TRACE_REPORTERS_LIST, list + "," + NAME));
  }

  @Override
  public void open(MetricConfig config) {
    record = new CompletionRecord(Path.of(config.getString(FOLDER, "")));
  }

  /** Flink logs the exception, and the former number stays, which rejects less. */
  @Override
  public void notifyOfAddedSpan(Span span) {
    if (isCompletion(span)) {
      try {
        record.write((long) span.getAttributes().get("checkpointId"));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  private static boolean isCompletion(Span span) {
    Map<String, Object> attributes = span.getAttributes();
    return span.getScope().equals(CheckpointStatsTracker.class.getCanonicalName())
        && span.getName().equals("Checkpoint")
        && CheckpointStatsStatus.COMPLETED.name().equals(attributes.get("checkpointStatus"))
        && !INTERMEDIATE_SAVEPOINT.equals(attributes.get("checkpointType"));
  }

  @Override
  public void close() {}
}
