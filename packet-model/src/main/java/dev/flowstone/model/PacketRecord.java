// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.model;

import dev.flowstone.model.abi.PacketRecordLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Scratch. */
public final class PacketRecord {
  private PacketRecord() {}

  public static int timeLow(MemorySegment s, long o) {
    return s.get(ValueLayout.JAVA_INT, o + PacketRecordLayout.TIME_LOW_OFFSET);
  }

  public static int flowHash(MemorySegment s, long o) {
    return s.get(ValueLayout.JAVA_INT, o + PacketRecordLayout.FLOW_HASH_OFFSET);
  }

  public static int sequence(MemorySegment s, long o) {
    return s.get(ValueLayout.JAVA_INT, o + PacketRecordLayout.SEQUENCE_OFFSET);
  }

  public static long timeNs(int timeLow, long baseNs) {
    return baseNs + (timeLow - (int) baseNs);
  }
}
