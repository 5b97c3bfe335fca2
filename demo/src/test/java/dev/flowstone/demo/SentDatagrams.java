// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

import dev.flowstone.model.FlowTuple;
import dev.flowstone.model.SentRecord;
import dev.flowstone.model.abi.PacketRecordLayout;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** Datagrams of a test, as records one after the other. */
public final class SentDatagrams {
  private static final int UDP = 17;

  private record Datagram(FlowTuple flow, long timeNs, int frameLength) {}

  private final List<Datagram> sent = new ArrayList<>();

  /** A flow for each number up to 65,535: from 192.0.2.1 to 192.0.2.2. */
  public static FlowTuple flow(int number) {
    return FlowTuple.ipv4(0xc0000201, 0xc0000202, number, 5001, UDP);
  }

  public SentDatagrams send(int flow, long timeNs, int frameLength) {
    sent.add(new Datagram(flow(flow), timeNs, frameLength));
    return this;
  }

  public int count() {
    return sent.size();
  }

  public MemorySegment records() {
    MemorySegment records =
        Arena.ofAuto().allocate(sent.size() * PacketRecordLayout.SIZE_BYTES, 64);
    for (int i = 0; i < sent.size(); i++) {
      Datagram each = sent.get(i);
      SentRecord.write(
          records, i * PacketRecordLayout.SIZE_BYTES, each.flow, each.timeNs, each.frameLength);
    }
    return records;
  }
}
