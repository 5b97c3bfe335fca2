// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.forward;

import dev.flowstone.model.abi.DatagramFlag;
import dev.flowstone.offheap.ring.RingFile;
import dev.flowstone.offheap.ring.RingReader;
import dev.flowstone.tap.datagram.DatagramKey;
import dev.flowstone.tap.datagram.DatagramWriter;
import dev.flowstone.tap.datagram.SenderRun;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;

/**
 * Makes datagrams of what the readers of one ring find, and sends them. Each says which packets of
 * the ring's incarnation came before it, so that whoever gets the next one knows what it lacks. One
 * thread; any may ask for counters.
 */
final class RingDatagrams implements AutoCloseable {
  private final DatagramOutput output;
  private final DatagramWriter writer;

  private ReadRing ring;
  private boolean hasStarted;
  private long startPackets;
  private long readOfIncarnation;

  private final LongAdder readPackets = new LongAdder();
  private final LongAdder sentPackets = new LongAdder();
  private final LongAdder unsentPackets = new LongAdder();
  private long formerLostInRing;
  private long formerLostBeforeTap;
  private volatile long lostInRing;
  private volatile long lostBeforeTap;
  private volatile long beforeStart;
  private volatile long backlogSlots;

  RingDatagrams(
      ReadRing ring,
      SenderRun run,
      int mostRecords,
      Optional<DatagramKey> key,
      DatagramOutput output) {
    this.ring = ring;
    this.output = output;
    writer = new DatagramWriter(run, mostRecords, key);
    writer.describe(ring.file());
  }

  /** Goes on with the next incarnation, all of which counts. */
  void goOnWith(ReadRing next) {
    formerLostInRing = lostInRing;
    formerLostBeforeTap = lostBeforeTap;
    ring = next;
    hasStarted = true;
    startPackets = 0;
    readOfIncarnation = 0;
    writer.describe(next.file());
  }

  /** With the first TIME record of a ring that was joined in its midst its counts are known. */
  void start() {
    RingReader reader = ring.reader();
    if (!hasStarted && reader.isAccountKnown()) {
      hasStarted = true;
      startPackets = reader.packetsBeforeStart();
      beforeStart = startPackets;
      writer.startAt(startPackets, reader.lostBeforeTapBeforeStart());
    }
  }

  boolean hasGathered() {
    return writer.records() > 0;
  }

  /** How many more packets the datagram takes that is being gathered. */
  int room() {
    return writer.room();
  }

  /** Takes the run that the reader found, and sends what it cannot be in one datagram with. */
  void gather() {
    RingReader reader = ring.reader();
    int count = reader.runCount();
    long packets = reader.accountedPackets() - count;
    long before = reader.accountedBeforeTap();
    if (hasGathered() && !writer.goesOn(packets, before)) {
      send();
    }
    if (!hasGathered()) {
      writer.begin(packets, lostInRingBefore(packets), before, reader.time());
    }
    RingFile file = ring.file();
    writer.append(file.slots(), file.slotOffset(reader.runPosition()), count);
    if (!ring.isCopyWhole()) {
      writer.takeBack(count);
      return;
    }
    readOfIncarnation += count;
    readPackets.add(count);
    if (writer.room() == 0) {
      send();
    }
  }

  /** Of the packets that the incarnation was offered until then, those that are not sent. */
  private long lostInRingBefore(long packets) {
    return packets - startPackets - readOfIncarnation;
  }

  /** Sends what was gathered, if anything was. */
  void send() {
    int records = writer.records();
    if (records > 0) {
      boolean sent = output.send(writer.packets());
      (sent ? sentPackets : unsentPackets).add(records);
      ring.sentAll();
    }
  }

  /** Tells counts, time and earlier incarnations; sends what was gathered before that. */
  void tell(int flags) {
    send();
    RingReader reader = ring.reader();
    backlogSlots = reader.backlogSlots();
    if (!reader.isAccountKnown()) {
      output.send(writer.hello(flags & DatagramFlag.SENDER_LEAVES));
      return;
    }
    long packets = reader.accountedPackets();
    long lost = lostInRingBefore(packets);
    lostInRing = formerLostInRing + lost;
    lostBeforeTap =
        formerLostBeforeTap + reader.accountedBeforeTap() - reader.lostBeforeTapBeforeStart();
    output.send(
        writer.heartbeat(
            packets,
            lost,
            reader.accountedBeforeTap(),
            reader.time(),
            ring.file().lineage(),
            flags));
  }

  /** Says that there is a sender of such rings. */
  void hello() {
    output.send(writer.hello(0));
  }

  /** Packets gathered so far. */
  long readPackets() {
    return readPackets.sum();
  }

  ForwardCounters.OfRing counters() {
    return new ForwardCounters.OfRing(
        readPackets.sum(),
        sentPackets.sum(),
        unsentPackets.sum(),
        lostInRing,
        lostBeforeTap,
        beforeStart,
        backlogSlots);
  }

  @Override
  public void close() {
    writer.close();
  }
}
