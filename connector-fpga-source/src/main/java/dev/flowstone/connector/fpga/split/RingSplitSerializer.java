// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.split;

import dev.flowstone.connector.fpga.rings.RingName;
import dev.flowstone.model.PacketLoss;
import dev.flowstone.model.StreamNumber;
import dev.flowstone.offheap.ring.PacketBooks;
import dev.flowstone.offheap.ring.RingProgress;
import dev.flowstone.offheap.ring.RingStart;
import dev.flowstone.offheap.ring.RingTime;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import org.apache.flink.core.io.SimpleVersionedSerializer;

/**
 * Splits in checkpoints and on the way to readers.
 *
 * <p>Version 3, big-endian: i64 stream, UTF host, UTF directory, i32 ring, i32 ring count, u8 start
 * (0 oldest, 1 latest, 2 resume, 3 join); with resume: i64 incarnation, i64 position, i64 time base
 * ns, u8 clock known, u8 clock trusted, u8 books known, i64 accounted packets, i64 accounted before
 * the tap, and twice, for all losses and for those not yet reported: i64 lost in the ring, i64 lost
 * before the tap. Version 2 knew no start 3 (join), version 1 no stream numbers.
 */
public final class RingSplitSerializer implements SimpleVersionedSerializer<RingSplit> {
  public static final RingSplitSerializer INSTANCE = new RingSplitSerializer();

  private static final int VERSION = 3;
  private static final int OLDEST_VERSION = 2;
  private static final int OLDEST = 0;
  private static final int LATEST = 1;
  private static final int RESUME = 2;
  private static final int JOIN = 3;

  private RingSplitSerializer() {}

  @Override
  public int getVersion() {
    return VERSION;
  }

  @Override
  public byte[] serialize(RingSplit split) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(bytes);
    out.writeLong(split.stream());
    writeName(split.name(), out);
    out.writeInt(split.ringCount());
    switch (split.start()) {
      case RingStart.Oldest _ -> out.writeByte(OLDEST);
      case RingStart.Latest _ -> out.writeByte(LATEST);
      case RingStart.Join _ -> out.writeByte(JOIN);
      case RingStart.Resume(RingProgress progress) -> {
        out.writeByte(RESUME);
        writeProgress(progress, out);
      }
    }
    return bytes.toByteArray();
  }

  /** Where a ring was seen, also in the enumerator's state. */
  public static void writeName(RingName name, DataOutputStream out) throws IOException {
    out.writeUTF(name.host());
    out.writeUTF(name.directory());
    out.writeInt(name.ring());
  }

  public static RingName readName(DataInputStream in) throws IOException {
    return new RingName(in.readUTF(), in.readUTF(), in.readInt());
  }

  private static void writeProgress(RingProgress progress, DataOutputStream out)
      throws IOException {
    out.writeLong(progress.incarnation());
    out.writeLong(progress.position());
    out.writeLong(progress.time().baseNs());
    out.writeBoolean(progress.time().isKnown());
    out.writeBoolean(progress.time().isTrusted());
    out.writeBoolean(progress.books().isKnown());
    out.writeLong(progress.books().accountedPackets());
    out.writeLong(progress.books().accountedBeforeTap());
    writeLoss(progress.books().lost(), out);
    writeLoss(progress.books().unreported(), out);
  }

  private static void writeLoss(PacketLoss loss, DataOutputStream out) throws IOException {
    out.writeLong(loss.inRing());
    out.writeLong(loss.beforeTap());
  }

  @Override
  public RingSplit deserialize(int version, byte[] serialized) throws IOException {
    if (version < OLDEST_VERSION || version > VERSION) {
      throw new IOException(
          "ring split of version "
              + version
              + ", this release knows "
              + OLDEST_VERSION
              + " to "
              + VERSION
              + "; restore with the release that wrote the checkpoint");
    }
    DataInputStream in = new DataInputStream(new ByteArrayInputStream(serialized));
    long stream = in.readLong();
    RingSplit split = new RingSplit(stream, readName(in), in.readInt(), readStart(version, in));
    if (in.available() > 0) {
      throw new IOException("malformed ring split: " + in.available() + " bytes too many");
    }
    int ring = StreamNumber.ring(stream);
    if (ring != split.name().ring()) {
      throw new IOException(
          "malformed ring split: ring "
              + split.name().ring()
              + " of stream "
              + StreamNumber.text(stream));
    }
    if (ring >= split.ringCount()) {
      throw new IOException("malformed ring split: ring " + ring + " of " + split.ringCount());
    }
    return split;
  }

  private static RingStart readStart(int version, DataInputStream in) throws IOException {
    int start = in.readUnsignedByte();
    return switch (start) {
      case OLDEST -> RingStart.OLDEST;
      case LATEST -> RingStart.LATEST;
      case JOIN -> RingStart.JOIN;
      case RESUME -> new RingStart.Resume(readProgress(version, in));
      default -> throw new IOException("malformed ring split: unknown start " + start);
    };
  }

  private static RingProgress readProgress(int version, DataInputStream in) throws IOException {
    return new RingProgress(
        in.readLong(),
        in.readLong(),
        new RingTime(in.readLong(), in.readBoolean(), in.readBoolean()),
        readBooks(version, in));
  }

  private static PacketBooks readBooks(int version, DataInputStream in) throws IOException {
    PacketBooks books =
        new PacketBooks(in.readBoolean(), in.readLong(), in.readLong(), readLoss(in), readLoss(in));
    // Version 2 did not say where it began; all that the ring counts next came before then.
    return version > 2 || books.isKnown()
        ? books
        : new PacketBooks(false, Long.MAX_VALUE, Long.MAX_VALUE, books.lost(), books.unreported());
  }

  private static PacketLoss readLoss(DataInputStream in) throws IOException {
    long inRing = in.readLong();
    long beforeTap = in.readLong();
    if (inRing < 0 || beforeTap < 0) {
      throw new IOException("malformed ring split: losses of " + inRing + " and " + beforeTap);
    }
    return new PacketLoss(inRing, beforeTap);
  }
}
