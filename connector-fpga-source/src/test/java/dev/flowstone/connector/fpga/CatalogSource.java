// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.connector.fpga.enumerator.RingEnumeratorState;
import dev.flowstone.connector.fpga.reader.RingSourceReader;
import dev.flowstone.connector.fpga.rings.FileRingCatalog;
import dev.flowstone.connector.fpga.rings.FileRingCatalog.Unusable;
import dev.flowstone.connector.fpga.rings.LaneUse;
import dev.flowstone.connector.fpga.rings.OpenRing;
import dev.flowstone.connector.fpga.rings.RingCatalog;
import dev.flowstone.connector.fpga.rings.RingSighting;
import dev.flowstone.connector.fpga.split.RingSplit;
import dev.flowstone.model.abi.RingContent;
import dev.flowstone.offheap.ring.ReaderName;
import dev.flowstone.offheap.ring.RingStart;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
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
 * The source in this process, whose readers count how often they have polled the folders for rings.
 * A test that asserts what does not happen waits for that count.
 */
class CatalogSource
    implements Source<PacketBlock, RingSplit, RingEnumeratorState>,
        ResultTypeQueryable<PacketBlock>,
        SupportsSplitReassignmentOnRecovery {
  private static final long serialVersionUID = 1L;

  /** Polls by subtask. */
  private static final Map<Integer, Integer> POLLS = new ConcurrentHashMap<>();

  private static final int WAIT_MS = 5;

  private final FpgaSource source;

  /** Where the job is built: readers of former jobs count no longer. */
  CatalogSource(FpgaSource source) {
    this.source = source;
    POLLS.clear();
  }

  FpgaSourceOptions options() {
    return source.options();
  }

  /** The rings that a subtask sees. */
  RingCatalog catalog(int subtask) {
    return fileCatalog(options().ringDirectories(), "here");
  }

  final RingCatalog fileCatalog(List<String> directories, String host) {
    return new FileRingCatalog(
        directories,
        RingContent.PACKET_RECORDS,
        new LaneUse(ReaderName.of(options().readerName()), options().laneExpiry(), true),
        host,
        Unusable.REFUSED);
  }

  @Override
  public SourceReader<PacketBlock, RingSplit> createReader(SourceReaderContext context) {
    int subtask = context.getIndexOfSubtask();
    return RingSourceReader.ofPackets(
        context, options(), new CountedCatalog(catalog(subtask), subtask));
  }

  /**
   * Returns when each reader has polled twice from now on: it then saw at least once what is there
   * now.
   *
   * @param readers of the job
   */
  static void awaitPolls(int readers) throws InterruptedException {
    Map<Integer, Integer> before = Map.copyOf(POLLS);
    for (int subtask = 0; subtask < readers; subtask++) {
      while (POLLS.getOrDefault(subtask, 0) < before.getOrDefault(subtask, 0) + 2) {
        Thread.sleep(WAIT_MS);
      }
    }
  }

  private record CountedCatalog(RingCatalog rings, int subtask) implements RingCatalog {
    @Override
    public String host() {
      return rings.host();
    }

    @Override
    public List<RingSighting> discover() {
      POLLS.merge(subtask, 1, Integer::sum);
      return rings.discover();
    }

    @Override
    public Optional<OpenRing> open(long stream, RingStart start) {
      return rings.open(stream, start);
    }
  }

  @Override
  public TypeInformation<PacketBlock> getProducedType() {
    return source.getProducedType();
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
