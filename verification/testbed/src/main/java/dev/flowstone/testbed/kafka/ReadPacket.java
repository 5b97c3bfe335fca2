// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.testbed.kafka;

import dev.flowstone.format.PacketBatch;
import dev.flowstone.model.FlowTuple;
import dev.flowstone.model.PacketRecord;
import dev.flowstone.model.abi.PacketRecordLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;

/** A packet's record as a consumer has it. */
public record ReadPacket(MemorySegment record, long timeNs) {
  private static final int PORT_OF_WEB = 443;
  private static final int FIN_SYN_RST = 7;

  static ReadPacket of(PacketBatch batch, int index) {
    return new ReadPacket(
        batch.records().asSlice(batch.offsetBytes(index), PacketRecordLayout.SIZE_BYTES),
        batch.timeNs(index));
  }

  public FlowTuple tuple() {
    return FlowTuple.of(record, 0);
  }

  public int flowHash() {
    return PacketRecord.flowHash(record, 0);
  }

  public boolean isWeb() {
    return PacketRecord.isIp(PacketRecord.kind(PacketRecord.descriptor(record, 0)))
        && (PacketRecord.sourcePort(record, 0) == PORT_OF_WEB
            || PacketRecord.destinationPort(record, 0) == PORT_OF_WEB);
  }

  public int tcpFlags() {
    return PacketRecord.tcpFlags(record, 0);
  }

  public int frameLength() {
    return PacketRecord.frameLength(PacketRecord.descriptor(record, 0));
  }

  public boolean isConnection() {
    return (PacketRecord.tcpFlags(record, 0) & FIN_SYN_RST) != 0;
  }

  /** Time, and all behind the addresses. */
  public ByteBuffer withoutAddresses() {
    byte[] rest =
        record.asSlice(PacketRecordLayout.SOURCE_PORT_OFFSET).toArray(ValueLayout.JAVA_BYTE);
    return ByteBuffer.allocate(Integer.BYTES + rest.length)
        .putInt(PacketRecord.timeLow(record, 0))
        .put(rest)
        .flip();
  }
}
