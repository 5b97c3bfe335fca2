// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.blocks.PacketBlockTypeInformation;
import dev.flowstone.connector.fpga.enumerator.RingEnumerator;
import dev.flowstone.connector.fpga.enumerator.RingEnumeratorState;
import dev.flowstone.connector.fpga.enumerator.RingEnumeratorStateSerializer;
import dev.flowstone.connector.fpga.reader.RingSourceReader;
import dev.flowstone.connector.fpga.rings.LivingNamesake;
import dev.flowstone.connector.fpga.split.RingSplit;
import dev.flowstone.connector.fpga.split.RingSplitSerializer;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.api.connector.source.SupportsSplitReassignmentOnRecovery;
import org.apache.flink.api.java.typeutils.ResultTypeQueryable;
import org.apache.flink.core.io.SimpleVersionedSerializer;

/**
 * Every packet of a tap's rings, as blocks by reference, each exactly once in state or counted as
 * lost; see the module's README for options and metrics.
 *
 * <p>Timestamps and watermarks come from the rings' own clock: use it with {@code
 * WatermarkStrategy.noWatermarks()}. Blocks may be kept by operators only as {@link PacketBlock}
 * says. Object reuse need not be on.
 *
 * <p>A source that wraps this one must implement {@link SupportsSplitReassignmentOnRecovery} too:
 * without that marker Flink does not report splits to the enumerator, and a restored job fails.
 */
public final class FpgaSource
    implements Source<PacketBlock, RingSplit, RingEnumeratorState>,
        ResultTypeQueryable<PacketBlock>,
        SupportsSplitReassignmentOnRecovery {
  private static final long serialVersionUID = 1L;

  private final FpgaSourceOptions options;

  FpgaSource(FpgaSourceOptions options) {
    this.options = options;
  }

  public static FpgaSourceBuilder builder() {
    return new FpgaSourceBuilder();
  }

  public FpgaSourceOptions options() {
    return options;
  }

  /**
   * Refuses to begin beside another job that reads the rings of this machine under the same name.
   * Readers refuse that, too, but later, when sinks of the two may have met already. Waits some
   * seconds where that job seems to have died a moment ago.
   *
   * @throws IllegalStateException if there is one at work; it says which
   */
  public void requireFreeReaderName() throws InterruptedException {
    LivingNamesake.requireNone(options.ringDirectories(), options.readerName());
  }

  @Override
  public Boundedness getBoundedness() {
    return options.bounded() ? Boundedness.BOUNDED : Boundedness.CONTINUOUS_UNBOUNDED;
  }

  @Override
  public SourceReader<PacketBlock, RingSplit> createReader(SourceReaderContext context) {
    return RingSourceReader.ofPackets(context, options);
  }

  @Override
  public SplitEnumerator<RingSplit, RingEnumeratorState> createEnumerator(
      SplitEnumeratorContext<RingSplit> context) {
    return restoreEnumerator(context, RingEnumeratorState.NEW);
  }

  @Override
  public SplitEnumerator<RingSplit, RingEnumeratorState> restoreEnumerator(
      SplitEnumeratorContext<RingSplit> context, RingEnumeratorState state) {
    return RingEnumerator.create(context, options, state);
  }

  @Override
  public SimpleVersionedSerializer<RingSplit> getSplitSerializer() {
    return RingSplitSerializer.INSTANCE;
  }

  @Override
  public SimpleVersionedSerializer<RingEnumeratorState> getEnumeratorCheckpointSerializer() {
    return RingEnumeratorStateSerializer.INSTANCE;
  }

  @Override
  public TypeInformation<PacketBlock> getProducedType() {
    return PacketBlockTypeInformation.INSTANCE;
  }
}
