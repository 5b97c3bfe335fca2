// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import dev.flowstone.blocks.InChainTypeInformation;
import dev.flowstone.blocks.PacketBlock;
import java.lang.foreign.MemorySegment;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * One packet as an element of a stream, read where it lies and only as far as it is asked for. With
 * object reuse there is one for all of them: single packets cannot be had for less.
 */
final class PacketView {
  static final TypeInformation<PacketView> TYPE = new InChainTypeInformation<>(PacketView.class);

  private PacketBlock block;
  private int index;

  /** An element for each packet of the blocks. */
  static SingleOutputStreamOperator<PacketView> each(DataStream<PacketBlock> blocks) {
    blocks.getExecutionEnvironment().getConfig().enableObjectReuse();
    return blocks.transform("Packets", TYPE, new OneByOne());
  }

  MemorySegment segment() {
    return block.segment();
  }

  long offset() {
    return block.offsetOf(index);
  }

  long timeNs() {
    return block.timeNs(index);
  }

  /** An operator, because it leaves timestamps and watermarks alone. */
  private static final class OneByOne extends AbstractStreamOperator<PacketView>
      implements OneInputStreamOperator<PacketBlock, PacketView> {
    private static final long serialVersionUID = 1L;

    @Override
    public void processElement(StreamRecord<PacketBlock> element) {
      PacketBlock block = element.getValue();
      PacketView view = new PacketView();
      view.block = block;
      StreamRecord<PacketView> record = element.replace(view);
      for (int i = 0; i < block.count(); i++) {
        view.index = i;
        // Whoever comes next puts its result in the same record.
        output.collect(record.replace(view));
      }
    }
  }
}
