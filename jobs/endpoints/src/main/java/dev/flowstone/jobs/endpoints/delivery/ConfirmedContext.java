// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints.delivery;

import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import org.apache.flink.api.common.JobInfo;
import org.apache.flink.api.common.TaskInfo;
import org.apache.flink.api.common.operators.MailboxExecutor;
import org.apache.flink.api.common.operators.ProcessingTimeService;
import org.apache.flink.api.common.serialization.SerializationSchema;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.connector.sink2.WriterInitContext;
import org.apache.flink.metrics.groups.SinkWriterMetricGroup;
import org.apache.flink.util.UserCodeClassLoader;
import org.apache.kafka.clients.producer.RecordMetadata;

/** A writer's context that learns of each message which a broker confirmed. */
record ConfirmedContext(WriterInitContext context, Unconfirmed unconfirmed)
    implements WriterInitContext {

  /**
   * Kafka's writer passes the metadata of each message to it, from the producer's thread. If the
   * broker did not store the message, the metadata has no offset.
   */
  @Override
  public <M> Optional<Consumer<M>> metadataConsumer() {
    Consumer<M> confirming =
        metadata -> {
          if (metadata instanceof RecordMetadata message && message.hasOffset()) {
            unconfirmed.confirm(1);
          }
        };
    return Optional.of(context.<M>metadataConsumer().map(confirming::andThen).orElse(confirming));
  }

  @Override
  public UserCodeClassLoader getUserCodeClassLoader() {
    return context.getUserCodeClassLoader();
  }

  @Override
  public MailboxExecutor getMailboxExecutor() {
    return context.getMailboxExecutor();
  }

  @Override
  public ProcessingTimeService getProcessingTimeService() {
    return context.getProcessingTimeService();
  }

  @Override
  public SinkWriterMetricGroup metricGroup() {
    return context.metricGroup();
  }

  @Override
  public SerializationSchema.InitializationContext asSerializationSchemaInitializationContext() {
    return context.asSerializationSchemaInitializationContext();
  }

  @Override
  public boolean isObjectReuseEnabled() {
    return context.isObjectReuseEnabled();
  }

  @Override
  public <I> TypeSerializer<I> createInputSerializer() {
    return context.createInputSerializer();
  }

  @Override
  public OptionalLong getRestoredCheckpointId() {
    return context.getRestoredCheckpointId();
  }

  @Override
  public JobInfo getJobInfo() {
    return context.getJobInfo();
  }

  @Override
  public TaskInfo getTaskInfo() {
    return context.getTaskInfo();
  }
}
