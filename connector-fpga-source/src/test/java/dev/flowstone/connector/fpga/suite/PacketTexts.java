// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.suite;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.connector.fpga.FpgaSource;
import dev.flowstone.connector.fpga.enumerator.RingEnumeratorState;
import dev.flowstone.connector.fpga.split.RingSplit;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
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
 * Wraps the source as users may, by Flink's interfaces alone, and emits each packet as the text of
 * {@link NumberTap}.
 */
final class PacketTexts
    implements Source<String, RingSplit, RingEnumeratorState>,
        ResultTypeQueryable<String>,
        SupportsSplitReassignmentOnRecovery {
  private static final long serialVersionUID = 1L;

  private final FpgaSource source;

  PacketTexts(FpgaSource source) {
    this.source = source;
  }

  @Override
  public SourceReader<String, RingSplit> createReader(SourceReaderContext context) {
    SourceReader<PacketBlock, RingSplit> blocks = source.createReader(context);
    return new PacketTextReader(blocks);
  }

  @Override
  public TypeInformation<String> getProducedType() {
    return Types.STRING;
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
}
