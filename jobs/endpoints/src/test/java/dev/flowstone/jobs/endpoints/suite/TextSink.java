// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints.suite;

import dev.flowstone.blocks.WeightedBlock;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.connector.sink2.Committer;
import org.apache.flink.api.connector.sink2.CommitterInitContext;
import org.apache.flink.api.connector.sink2.CommittingSinkWriter;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.apache.flink.api.connector.sink2.StatefulSinkWriter;
import org.apache.flink.api.connector.sink2.SupportsCommitter;
import org.apache.flink.api.connector.sink2.SupportsWriterState;
import org.apache.flink.api.connector.sink2.WriterInitContext;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.streaming.api.connector.sink2.CommittableMessage;
import org.apache.flink.streaming.api.connector.sink2.SupportsPostCommitTopology;
import org.apache.flink.streaming.api.datastream.DataStream;

/**
 * A sink for packets that takes texts, by Flink's interfaces alone.
 *
 * @param <S> state of its writers
 * @param <C> what its writers hand to its committers
 */
@SuppressWarnings("unchecked") // Both types are the wrapped sink's own.
final class TextSink<S, C>
    implements Sink<String>,
        SupportsWriterState<String, S>,
        SupportsCommitter<C>,
        SupportsPostCommitTopology<C> {
  private static final long serialVersionUID = 1L;

  private final Sink<WeightedBlock> packets;

  TextSink(Sink<WeightedBlock> packets) {
    this.packets = packets;
  }

  private SupportsWriterState<WeightedBlock, S> stateful() {
    return (SupportsWriterState<WeightedBlock, S>) packets;
  }

  private SupportsCommitter<C> committing() {
    return (SupportsCommitter<C>) packets;
  }

  @Override
  public SinkWriter<String> createWriter(WriterInitContext context) throws IOException {
    return new TextWriter<S, C>(packets.createWriter(context));
  }

  @Override
  public StatefulSinkWriter<String, S> restoreWriter(WriterInitContext context, Collection<S> state)
      throws IOException {
    return new TextWriter<S, C>(stateful().restoreWriter(context, state));
  }

  @Override
  public SimpleVersionedSerializer<S> getWriterStateSerializer() {
    return stateful().getWriterStateSerializer();
  }

  @Override
  public Committer<C> createCommitter(CommitterInitContext context) throws IOException {
    return committing().createCommitter(context);
  }

  @Override
  public SimpleVersionedSerializer<C> getCommittableSerializer() {
    return committing().getCommittableSerializer();
  }

  @Override
  public void addPostCommitTopology(DataStream<CommittableMessage<C>> committed) {
    ((SupportsPostCommitTopology<C>) packets).addPostCommitTopology(committed);
  }

  @SuppressWarnings("try") // Its close throws whatever the sink's does.
  private record TextWriter<S, C>(SinkWriter<WeightedBlock> packets)
      implements StatefulSinkWriter<String, S>, CommittingSinkWriter<String, C> {

    @Override
    public void write(String text, Context context) throws IOException, InterruptedException {
      packets.write(TextBlocks.block(text), context);
    }

    @Override
    public void flush(boolean endOfInput) throws IOException, InterruptedException {
      packets.flush(endOfInput);
    }

    @Override
    public void writeWatermark(Watermark watermark) throws IOException, InterruptedException {
      packets.writeWatermark(watermark);
    }

    @Override
    public List<S> snapshotState(long checkpoint) throws IOException {
      return ((StatefulSinkWriter<WeightedBlock, S>) packets).snapshotState(checkpoint);
    }

    @Override
    public Collection<C> prepareCommit() throws IOException, InterruptedException {
      return ((CommittingSinkWriter<WeightedBlock, C>) packets).prepareCommit();
    }

    @Override
    public void close() throws Exception {
      packets.close();
    }
  }
}
