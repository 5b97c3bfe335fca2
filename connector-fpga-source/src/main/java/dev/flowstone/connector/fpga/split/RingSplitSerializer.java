// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.split;

import dev.flowstone.connector.fpga.rings.RingName;
import dev.flowstone.offheap.ring.RingProgress;
import dev.flowstone.offheap.ring.RingStart;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import org.apache.flink.core.io.SimpleVersionedSerializer;

/**
 * Splits in checkpoints and on the way to readers.
 *
 * <p>Version 1, big-endian: UTF host, UTF directory, i32 ring, i32 ring count, u8 start (0 oldest,
 * 1 latest, 2 resume); with resume: i64 incarnation, i64 position, i64 accounted packets, u8
 * account known, i64 time base ns, u8 clock known, u8 clock trusted, i64 lost packets, i64
 * unreported lost.
 */
public final class RingSplitSerializer implements SimpleVersionedSerializer<RingSplit> {
  public static final RingSplitSerializer INSTANCE = new RingSplitSerializer();

  private static final int VERSION = 1;
  private static final int OLDEST = 0;
  private static final int LATEST = 1;
  private static final int RESUME = 2;

  private RingSplitSerializer() {}

  @Override
  public int getVersion() {
    return VERSION;
  }

  @Override
  public byte[] serialize(RingSplit split) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(bytes);
    out.writeUTF(split.name().host());
    out.writeUTF(split.name().directory());
    out.writeInt(split.name().ring());
    out.writeInt(split.ringCount());
    switch (split.start()) {
      case RingStart.Oldest oldest -> out.writeByte(OLDEST);
      case RingStart.Latest latest -> out.writeByte(LATEST);
      case RingStart.Resume resume -> {
        out.writeByte(RESUME);
        writeProgress(resume.progress(), out);
      }
    }
    return bytes.toByteArray();
  }

  private static void writeProgress(RingProgress progress, DataOutputStream out)
      throws IOException {
    out.writeLong(progress.incarnation());
    out.writeLong(progress.position());
    out.writeLong(progress.accountedPackets());
    out.writeBoolean(progress.accountKnown());
    out.writeLong(progress.timeBaseNs());
    out.writeBoolean(progress.clockKnown());
    out.writeBoolean(progress.clockTrusted());
    out.writeLong(progress.lostPackets());
    out.writeLong(progress.unreportedLost());
  }

  @Override
  public RingSplit deserialize(int version, byte[] serialized) throws IOException {
    if (version != VERSION) {
      throw new IOException(
          "ring split of version "
              + version
              + ", this release knows "
              + VERSION
              + "; restore with the release that wrote the checkpoint");
    }
    DataInputStream in = new DataInputStream(new ByteArrayInputStream(serialized));
    RingName name = new RingName(in.readUTF(), in.readUTF(), in.readInt());
    RingSplit split = new RingSplit(name, in.readInt(), readStart(in));
    if (in.available() > 0) {
      throw new IOException("malformed ring split: " + in.available() + " bytes too many");
    }
    if (name.ring() < 0 || name.ring() >= split.ringCount()) {
      throw new IOException(
          "malformed ring split: ring " + name.ring() + " of " + split.ringCount());
    }
    return split;
  }

  private static RingStart readStart(DataInputStream in) throws IOException {
    int start = in.readUnsignedByte();
    return switch (start) {
      case OLDEST -> RingStart.OLDEST;
      case LATEST -> RingStart.LATEST;
      case RESUME -> new RingStart.Resume(readProgress(in));
      default -> throw new IOException("malformed ring split: unknown start " + start);
    };
  }

  private static RingProgress readProgress(DataInputStream in) throws IOException {
    return new RingProgress(
        in.readLong(),
        in.readLong(),
        in.readLong(),
        in.readBoolean(),
        in.readLong(),
        in.readBoolean(),
        in.readBoolean(),
        in.readLong(),
        in.readLong());
  }
}
