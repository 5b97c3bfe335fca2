// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.connector.fpga.FpgaSource;
import dev.flowstone.connector.fpga.ReleaseMode;
import dev.flowstone.connector.fpga.enumerator.RingEnumeratorState;
import dev.flowstone.connector.fpga.reader.RingSourceReader;
import dev.flowstone.connector.fpga.rings.HostName;
import dev.flowstone.connector.fpga.split.RingSplit;
import java.nio.file.Path;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.api.java.typeutils.ResultTypeQueryable;
import org.apache.flink.core.io.SimpleVersionedSerializer;

/** The source as it is, but for its rings, which are {@link LappingRings}. */
final class LappingSource
    implements Source<PacketBlock, RingSplit, RingEnumeratorState>,
        ResultTypeQueryable<PacketBlock> {
  private static final long serialVersionUID = 1L;

  private final FpgaSource source;

  LappingSource(FpgaSource source) {
    this.source = source;
  }

  static LappingSource of(Path rings) {
    return new LappingSource(FpgaSource.builder().ringDirectory(rings).build());
  }

  @Override
  public SourceReader<PacketBlock, RingSplit> createReader(SourceReaderContext context) {
    LappingRings rings =
        new LappingRings(
            source.options().ringDirectories(),
            source.options().readerName(),
            HostName.local(),
            source.options().releaseMode() != ReleaseMode.OBSERVING);
    return RingSourceReader.ofPackets(context, source.options(), rings);
  }

  @Override
  public Boundedness getBoundedness() {
    return source.getBoundedness();
  }

  @Override
  public SplitEnumerator<RingSplit, RingEnumeratorState> createEnumerator(
      SplitEnumeratorContext<RingSplit> context) {
    return source.createEnumerator(context);
  }

  @Override
  public SplitEnumerator<RingSplit, RingEnumeratorState> restoreEnumerator(
      SplitEnumeratorContext<RingSplit> context, RingEnumeratorState state) {
    return source.restoreEnumerator(context, state);
  }

  @Override
  public SimpleVersionedSerializer<RingSplit> getSplitSerializer() {
    return source.getSplitSerializer();
  }

  @Override
  public SimpleVersionedSerializer<RingEnumeratorState> getEnumeratorCheckpointSerializer() {
    return source.getEnumeratorCheckpointSerializer();
  }

  @Override
  public TypeInformation<PacketBlock> getProducedType() {
    return source.getProducedType();
  }
}
