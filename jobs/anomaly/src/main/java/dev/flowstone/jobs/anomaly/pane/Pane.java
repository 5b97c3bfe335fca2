// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.anomaly.pane;

import java.io.IOException;
import java.io.Serializable;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/**
 * What was seen of a subject within a pane, or of several panes together; made by {@link PaneSum}.
 *
 * @param bytes of the frames on the wire
 * @param begun handshakes that SYNs began and that were waited for, where the detector asks for it
 * @param completed handshakes that were completed
 * @param distinct a {@link dev.flowstone.jobs.anomaly.sketch.DistinctCount}
 * @param peers a {@link dev.flowstone.jobs.anomaly.sketch.PeerSample}
 * @param first the earliest packet; null: there is none
 * @param last the latest packet
 */
@SuppressWarnings("ArrayRecordComponent") // Nobody compares panes, and nobody writes in them.
public record Pane(
    long packets,
    long bytes,
    long begun,
    long completed,
    byte[] distinct,
    long[] peers,
    Spot first,
    Spot last)
    implements Serializable {
  /** Itself and its two spots, and the heads of its two arrays. */
  private static final int BYTES_ALONE = 64 + 2 * 40 + 2 * 16;

  private static final int NO_SPOT = 0;
  private static final int ONE_SPOT = 1;
  private static final int TWO_SPOTS = 2;

  /** About so much of the heap. */
  public int memoryBytes() {
    return BYTES_ALONE + distinct.length + Long.BYTES * peers.length;
  }

  /** For {@link #read}. */
  public void write(DataOutputView out) throws IOException {
    out.writeLong(packets);
    out.writeLong(bytes);
    out.writeLong(begun);
    out.writeLong(completed);
    out.writeShort(distinct.length);
    out.write(distinct);
    out.writeShort(peers.length);
    for (long each : peers) {
      out.writeLong(each);
    }
    if (first == null) {
      out.writeByte(NO_SPOT);
      return;
    }
    boolean isOne = first.equals(last);
    out.writeByte(isOne ? ONE_SPOT : TWO_SPOTS);
    first.write(out);
    if (!isOne) {
      last.write(out);
    }
  }

  /** As {@link #write} wrote it. */
  public static Pane read(DataInputView in) throws IOException {
    long packets = in.readLong();
    long bytes = in.readLong();
    long begun = in.readLong();
    long completed = in.readLong();
    byte[] distinct = new byte[in.readUnsignedShort()];
    in.readFully(distinct);
    long[] peers = new long[in.readUnsignedShort()];
    for (int i = 0; i < peers.length; i++) {
      peers[i] = in.readLong();
    }
    int spots = in.readByte();
    Spot first = spots == NO_SPOT ? null : Spot.read(in);
    Spot last = spots == TWO_SPOTS ? Spot.read(in) : first;
    return new Pane(packets, bytes, begun, completed, distinct, peers, first, last);
  }
}
