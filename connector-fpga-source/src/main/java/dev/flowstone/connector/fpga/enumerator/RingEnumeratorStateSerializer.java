// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.enumerator;

import dev.flowstone.connector.fpga.split.RingSplit;
import dev.flowstone.connector.fpga.split.RingSplitSerializer;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.core.io.SimpleVersionedSerializer;

/**
 * The enumerator's part of a checkpoint.
 *
 * <p>Version 3, big-endian: i32 version of the splits, i32 count, per unassigned split i32 length
 * and its bytes; i32 count, per assigned ring i64 stream, UTF host, UTF directory, i32 ring, i32
 * ring count; u8 has begun, u8 is complete, u8 is all read. Version 2 ended before that, version 1
 * knew no stream numbers.
 */
public final class RingEnumeratorStateSerializer
    implements SimpleVersionedSerializer<RingEnumeratorState> {
  public static final RingEnumeratorStateSerializer INSTANCE = new RingEnumeratorStateSerializer();

  private static final int VERSION = 3;
  private static final int WITHOUT_ALL_READ = 2;

  private RingEnumeratorStateSerializer() {}

  @Override
  public int getVersion() {
    return VERSION;
  }

  @Override
  public byte[] serialize(RingEnumeratorState state) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(bytes);
    out.writeInt(RingSplitSerializer.INSTANCE.getVersion());
    out.writeInt(state.unassigned().size());
    for (RingSplit split : state.unassigned()) {
      byte[] serialized = RingSplitSerializer.INSTANCE.serialize(split);
      out.writeInt(serialized.length);
      out.write(serialized);
    }
    out.writeInt(state.assigned().size());
    for (Map.Entry<Long, KnownRing> ring : new TreeMap<>(state.assigned()).entrySet()) {
      out.writeLong(ring.getKey());
      RingSplitSerializer.writeName(ring.getValue().name(), out);
      out.writeInt(ring.getValue().ringCount());
    }
    out.writeBoolean(state.hasBegun());
    out.writeBoolean(state.isComplete());
    out.writeBoolean(state.isAllRead());
    return bytes.toByteArray();
  }

  @Override
  public RingEnumeratorState deserialize(int version, byte[] serialized) throws IOException {
    if (version != VERSION && version != WITHOUT_ALL_READ) {
      throw new IOException(
          "ring enumerator state of version "
              + version
              + ", this release knows "
              + VERSION
              + "; restore with the release that wrote the checkpoint");
    }
    DataInputStream in = new DataInputStream(new ByteArrayInputStream(serialized));
    List<RingSplit> unassigned = readSplits(in);
    return new RingEnumeratorState(
        unassigned,
        readAssigned(in),
        in.readBoolean(),
        in.readBoolean(),
        version != WITHOUT_ALL_READ && in.readBoolean());
  }

  private static List<RingSplit> readSplits(DataInputStream in) throws IOException {
    int splitVersion = in.readInt();
    int count = readCount(in);
    List<RingSplit> splits = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int lengthBytes = in.readInt();
      if (lengthBytes < 0 || lengthBytes > in.available()) {
        throw new IOException(
            "malformed ring enumerator state: split of "
                + lengthBytes
                + " bytes, "
                + in.available()
                + " left");
      }
      splits.add(
          RingSplitSerializer.INSTANCE.deserialize(splitVersion, in.readNBytes(lengthBytes)));
    }
    return splits;
  }

  private static Map<Long, KnownRing> readAssigned(DataInputStream in) throws IOException {
    int count = readCount(in);
    Map<Long, KnownRing> assigned = new HashMap<>();
    for (int i = 0; i < count; i++) {
      assigned.put(in.readLong(), new KnownRing(RingSplitSerializer.readName(in), in.readInt()));
    }
    return assigned;
  }

  private static int readCount(DataInputStream in) throws IOException {
    int count = in.readInt();
    if (count < 0 || count > RingAssignment.MAX_RINGS) {
      throw new IOException("malformed ring enumerator state: " + count + " rings");
    }
    return count;
  }
}
