// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.receive;

import dev.flowstone.model.PacketRecord;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** What was delivered, in words. */
final class RecordedDeliveries implements Deliveries {
  final List<String> all = new ArrayList<>();

  @Override
  public void packets(
      MemorySegment memory, long recordsAt, int count, long baseNs, boolean trusted) {
    int first = PacketRecord.sequence(memory, recordsAt);
    all.add("packets " + first + " to " + (first + count - 1) + (trusted ? "" : " untimed"));
  }

  @Override
  public void lost(LossCause cause, long packets, long timeNs) {
    all.add("lost " + packets + " " + cause);
  }

  @Override
  public void repeated(long packets) {
    all.add("repeated " + packets);
  }

  @Override
  public void time(long timeNs) {
    all.add("time");
  }

  @Override
  public void missedUnknown() {
    all.add("unknown");
  }

  List<String> take() {
    List<String> taken = List.copyOf(all);
    all.clear();
    return taken;
  }
}
