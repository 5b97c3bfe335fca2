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
import dev.flowstone.connector.fpga.rings.RingName;
import dev.flowstone.connector.fpga.rings.RingSighting;
import dev.flowstone.connector.fpga.split.RingSplit;
import dev.flowstone.model.abi.RingContent;
import dev.flowstone.offheap.ring.ReaderName;
import dev.flowstone.offheap.ring.RingStart;
import java.io.Serializable;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.api.connector.source.SupportsSplitReassignmentOnRecovery;
import org.apache.flink.core.io.SimpleVersionedSerializer;

/** The source in one process, whose subtasks believe themselves on hosts of their own. */
final class HostedSource
    implements Source<PacketBlock, RingSplit, RingEnumeratorState>,
        SupportsSplitReassignmentOnRecovery {
  private static final long serialVersionUID = 1L;

  private final FpgaSource source;
  private final List<Host> hosts;

  /**
   * A host.
   *
   * @param name what it is called
   * @param folder what is really there where all hosts have their one ring folder
   */
  record Host(String name, String folder) implements Serializable {
    Host(String name, Path folder) {
      this(name, folder.toString());
    }
  }

  /**
   * @param hosts that of each subtask
   */
  HostedSource(FpgaSource source, Host... hosts) {
    this.source = source;
    this.hosts = List.of(hosts);
  }

  @Override
  public SourceReader<PacketBlock, RingSplit> createReader(SourceReaderContext context) {
    FpgaSourceOptions options = source.options();
    Host host = hosts.get(context.getIndexOfSubtask());
    RingCatalog there =
        new FileRingCatalog(
            List.of(host.folder()),
            RingContent.PACKET_RECORDS,
            new LaneUse(ReaderName.of(options.readerName()), options.laneExpiry(), true),
            host.name(),
            Unusable.REFUSED);
    return RingSourceReader.ofPackets(
        context, options, new OtherPath(there, options.ringDirectories().getFirst()));
  }

  /** Calls the folder by the path that it would have if this were its host. */
  private record OtherPath(RingCatalog there, String directory) implements RingCatalog {
    @Override
    public String host() {
      return there.host();
    }

    @Override
    public List<RingSighting> discover() {
      return there.discover().stream().map(this::renamed).toList();
    }

    private RingSighting renamed(RingSighting seen) {
      return new RingSighting(
          seen.stream(),
          new RingName(seen.name().host(), directory, seen.name().ring()),
          seen.ringCount(),
          seen.incarnation(),
          seen.ancestors(),
          seen.isTapAlive());
    }

    @Override
    public Optional<OpenRing> open(long stream, RingStart start) {
      return there.open(stream, start);
    }
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
