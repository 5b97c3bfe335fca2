// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.reader;

import dev.flowstone.connector.fpga.FpgaSource;
import dev.flowstone.connector.fpga.FpgaSourceBuilder;
import dev.flowstone.connector.fpga.TestTap;
import dev.flowstone.connector.fpga.enumerator.RingEnumeratorState;
import dev.flowstone.connector.fpga.rings.FileRingCatalog;
import dev.flowstone.connector.fpga.rings.FileRingCatalog.Unusable;
import dev.flowstone.connector.fpga.rings.HostName;
import dev.flowstone.connector.fpga.rings.LaneUse;
import dev.flowstone.connector.fpga.rings.RingRun;
import dev.flowstone.connector.fpga.split.RingSplit;
import dev.flowstone.model.PacketLoss;
import dev.flowstone.model.abi.PacketRecordLayout;
import dev.flowstone.model.abi.RingContent;
import dev.flowstone.offheap.ring.ReaderName;
import dev.flowstone.offheap.ring.RingIdentity;
import dev.flowstone.offheap.ring.RingProgress;
import dev.flowstone.offheap.ring.RingReader;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.api.connector.source.SourceOutput;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.api.connector.source.SupportsSplitReassignmentOnRecovery;
import org.apache.flink.core.io.SimpleVersionedSerializer;

/**
 * The source with another emitter: one packet at a time, as the number it carries. For Flink's test
 * suite, which compares elements by equality. The folders may be filled in until the job is
 * submitted.
 */
final class PacketNumberSource
    implements Source<Integer, RingSplit, RingEnumeratorState>,
        SupportsSplitReassignmentOnRecovery {
  private static final long serialVersionUID = 1L;

  private final List<String> directories;
  private final boolean bounded;

  PacketNumberSource(List<String> directories, boolean bounded) {
    this.directories = directories;
    this.bounded = bounded;
  }

  private FpgaSource source() {
    FpgaSourceBuilder builder =
        FpgaSource.builder()
            .blockRecords(3)
            .verifyKeyGroups(false)
            .discoveryInterval(Duration.ofMillis(100));
    directories.forEach(directory -> builder.ringDirectory(Path.of(directory)));
    return bounded ? builder.bounded().build() : builder.build();
  }

  @Override
  public Boundedness getBoundedness() {
    return bounded ? Boundedness.BOUNDED : Boundedness.CONTINUOUS_UNBOUNDED;
  }

  @Override
  public SourceReader<Integer, RingSplit> createReader(SourceReaderContext context) {
    return new RingSourceReader<>(
        context,
        new FileRingCatalog(
            directories,
            RingContent.PACKET_RECORDS,
            new LaneUse(ReaderName.of("suite"), RingReader.USUAL_EXPIRY, true),
            HostName.local(),
            Unusable.LEFT_OUT),
        source().options(),
        JobFacts.of(context),
        _ -> new NumberEmitter());
  }

  private static final class NumberEmitter implements RunEmitter<Integer> {
    @Override
    public int emit(
        RingIdentity ring, RingRun run, PacketLoss lossBefore, SourceOutput<Integer> output) {
      for (int i = 0; i < run.count(); i++) {
        int number =
            TestTap.number(run.slots(), run.offsetBytes() + i * PacketRecordLayout.SIZE_BYTES);
        output.collect(number, number);
      }
      return run.count();
    }

    @Override
    public void emitLoss(
        RingProgress at, PacketLoss loss, long timeNs, SourceOutput<Integer> output) {
      throw new AssertionError(loss + " lost");
    }

    @Override
    public int strayKeyGroup(RingIdentity ring, RingRun run) {
      return NOT_STRAY;
    }
  }

  @Override
  public SplitEnumerator<RingSplit, RingEnumeratorState> createEnumerator(
      SplitEnumeratorContext<RingSplit> context) {
    return source().createEnumerator(context);
  }

  @Override
  public SplitEnumerator<RingSplit, RingEnumeratorState> restoreEnumerator(
      SplitEnumeratorContext<RingSplit> context, RingEnumeratorState state) {
    return source().restoreEnumerator(context, state);
  }

  @Override
  public SimpleVersionedSerializer<RingSplit> getSplitSerializer() {
    return source().getSplitSerializer();
  }

  @Override
  public SimpleVersionedSerializer<RingEnumeratorState> getEnumeratorCheckpointSerializer() {
    return source().getEnumeratorCheckpointSerializer();
  }
}
