// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.blocks;

import java.io.IOException;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSchemaCompatibility;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/** Names the format of blocks in a savepoint, so that a later release knows what it reads. */
public final class PacketBlockSerializerSnapshot implements TypeSerializerSnapshot<PacketBlock> {
  private static final int VERSION = 1;
  private static final int BLOCK_FORMAT = 2;

  @Override
  public int getCurrentVersion() {
    return VERSION;
  }

  @Override
  public void writeSnapshot(DataOutputView target) throws IOException {
    target.writeInt(BLOCK_FORMAT);
  }

  @Override
  public void readSnapshot(int readVersion, DataInputView source, ClassLoader userCodeClassLoader)
      throws IOException {
    if (readVersion != VERSION) {
      throw new IOException(
          "packet block snapshot of version "
              + readVersion
              + ", this release knows "
              + VERSION
              + "; restore with the release that wrote the savepoint");
    }
    int format = source.readInt();
    if (format != BLOCK_FORMAT) {
      throw new IOException(
          "packet blocks of format "
              + format
              + ", this release knows "
              + BLOCK_FORMAT
              + "; restore with the release that wrote the savepoint");
    }
  }

  @Override
  public TypeSerializer<PacketBlock> restoreSerializer() {
    return new PacketBlockSerializer();
  }

  @Override
  public TypeSerializerSchemaCompatibility<PacketBlock> resolveSchemaCompatibility(
      TypeSerializerSnapshot<PacketBlock> oldSnapshot) {
    return oldSnapshot instanceof PacketBlockSerializerSnapshot
        ? TypeSerializerSchemaCompatibility.compatibleAsIs()
        : TypeSerializerSchemaCompatibility.incompatible();
  }
}
