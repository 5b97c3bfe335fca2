// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.card;

import dev.flowstone.model.KeyGroups;
import dev.flowstone.model.PacketRecord;
import dev.flowstone.model.abi.PacketRecordLayout;
import dev.flowstone.model.abi.RingClock;
import dev.flowstone.offheap.ring.RingCounters;
import dev.flowstone.offheap.ring.RingDirectory;
import dev.flowstone.offheap.ring.RingFile;
import dev.flowstone.offheap.ring.RingSetWriter;
import dev.flowstone.offheap.ring.RingSpecification;
import dev.flowstone.offheap.ring.WhenFull;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntPredicate;

/** Ring files of a card in a test, and what is in them. */
final class MadeFiles implements CardFiles, AutoCloseable {
  static final CardShape SHAPE = new CardShape(2, 16, 128);
  private static final int LEAST_SLOTS_LOG2 = 10;
  private static final int FILE_SLOTS_LOG2 = 18;

  private final RingDirectory directory;
  private final String name;

  /** Runs when files have been made, before the kernels start. */
  Runnable whenMade = () -> {};

  /** Runs when space for other files is requested. */
  Runnable whenPrepared = () -> {};

  MadeFiles(Path folder) {
    this(folder, "card 0");
  }

  MadeFiles(Path folder, String name) {
    directory = new RingDirectory(folder);
    this.name = name;
  }

  @Override
  public RingDirectory directory() {
    return directory;
  }

  @Override
  public RingSetWriter make(CardShape shape) {
    RingSetWriter made = make(shape, FILE_SLOTS_LOG2);
    whenMade.run();
    return made;
  }

  @Override
  public void prepare(CardShape shape) {
    whenPrepared.run();
  }

  @Override
  public RingSetWriter makeForLosses(CardShape shape) {
    return make(shape, LEAST_SLOTS_LOG2);
  }

  private RingSetWriter make(CardShape shape, int slotsLog2) {
    return RingSetWriter.create(
        directory,
        new RingSpecification(
            shape.ringCount(),
            slotsLog2,
            RingClock.HARDWARE,
            shape.maxParallelism(),
            name,
            Optional.empty()),
        WhenFull.DROP);
  }

  @Override
  public void ended() {}

  List<RingCounters> counters() {
    List<RingCounters> all = new ArrayList<>();
    for (int ring = 0; ring < SHAPE.ringCount(); ring++) {
      try (RingFile file = RingFile.open(directory.ringFile(ring))) {
        all.add(file.counters());
      }
    }
    return all;
  }

  long offeredPackets() {
    return counters().stream().mapToLong(RingCounters::offeredPackets).sum();
  }

  /** Returns the key group of each packet that is in a ring file, without its duplicates. */
  static Set<Integer> keyGroups(RingFile file) {
    Set<Integer> found = new HashSet<>();
    for (long position = file.oldestPosition(); position < file.position(); position++) {
      long at = file.slotOffset(position);
      if (PacketRecord.isPacket(PacketRecord.kind(PacketRecord.descriptor(file.slots(), at)))) {
        found.add(
            KeyGroups.keyGroup(
                PacketRecord.flowHash(file.slots(), at), file.identity().maxParallelism()));
      }
    }
    return found;
  }

  /** The packet records of a ring in their order, without time and generation. */
  static List<String> records(RingDirectory directory, int ring) {
    return records(directory, ring, _ -> true);
  }

  /** The same of those that came at one port. */
  static List<String> records(RingDirectory directory, int ring, int port) {
    return records(
        directory,
        ring,
        descriptor ->
            (descriptor >>> PacketRecordLayout.INGRESS_PORT_SHIFT
                    & PacketRecordLayout.INGRESS_PORT_MASK)
                == port);
  }

  private static List<String> records(RingDirectory directory, int ring, IntPredicate isWanted) {
    List<String> all = new ArrayList<>();
    try (RingFile file = RingFile.open(directory.ringFile(ring))) {
      for (long position = 0; position < file.position(); position++) {
        long at = file.slotOffset(position);
        int descriptor = PacketRecord.descriptor(file.slots(), at);
        if (PacketRecord.isPacket(PacketRecord.kind(descriptor)) && isWanted.test(descriptor)) {
          byte[] record =
              file.slots()
                  .asSlice(at, PacketRecordLayout.SIZE_BYTES)
                  .toArray(ValueLayout.JAVA_BYTE);
          Arrays.fill(record, 0, Integer.BYTES, (byte) 0);
          record[record.length - 1] &= 0x1F;
          all.add(HexFormat.of().formatHex(record));
        }
      }
    }
    return all;
  }

  @Override
  public void close() {
    directory.delete();
  }
}
