// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.resample;

import dev.flowstone.model.PacketRecord;
import dev.flowstone.model.abi.PacketRecordLayout;
import dev.flowstone.offheap.ParserLibrary;
import dev.flowstone.offheap.ParserProfile;
import dev.flowstone.raw.MalformedNote;
import dev.flowstone.raw.MalformedReason;
import dev.flowstone.raw.PacketSource;
import dev.flowstone.raw.RawPacketBatch;
import dev.flowstone.raw.SourceCounters;
import dev.flowstone.tap.Pacer;
import dev.flowstone.tap.replay.CaptureException;
import dev.flowstone.tap.replay.ReplayOptions;
import dev.flowstone.tap.replay.ReplaySource;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ObjIntConsumer;

/**
 * Reads captures as templates, each file twice: what there is room for is known before the room is
 * taken.
 */
final class TemplateReader {
  private static final int ALIGNMENT_BYTES = 8;

  /** Of a record; its fields want to be aligned. */
  private static final long LINE_BYTES = 64;

  private record Address(long high, long low) {}

  /** What there is in a capture. */
  private static final class Size {
    int packets;
    long frameBytes;
  }

  private final Map<MalformedReason, Long> malformed = new EnumMap<>(MalformedReason.class);
  private final List<MalformedNote> notes = new ArrayList<>();
  private final HeaderPlaces places = new HeaderPlaces();
  private final int[] mostAddresses = new int[AddressClass.ALL.length];
  private final int[] firstPackets;
  private final long[] durationsNs;
  private final List<Path> captures;
  private final long[] words;
  private final MemorySegment frames;
  private final RawPacketBatch cut;
  private final MemorySegment record;

  /** Of the capture that is being read. */
  private final Map<Address, Integer> numbers = new HashMap<>();

  private final int[] addresses = new int[AddressClass.ALL.length];
  private int packets;
  private long frameBytes;
  private long changedPackets;
  private long firstNs;
  private long previousNs;
  private long skippedGaps;

  private TemplateReader(
      List<Path> captures, Size size, Arena arena, MemorySegment record, RawPacketBatch cut) {
    this.captures = captures;
    this.record = record;
    this.cut = cut;
    words = new long[size.packets * Templates.PACKET_WORDS];
    frames = arena.allocate(Math.max(1, size.frameBytes), ALIGNMENT_BYTES);
    firstPackets = new int[captures.size() + 1];
    durationsNs = new long[captures.size()];
  }

  /** Reads all captures into memory of the arena. */
  static Templates read(List<Path> captures, Arena arena) {
    Size size = new Size();
    captures.forEach(capture -> measure(capture, size));
    try (Arena scratch = Arena.ofConfined();
        RawPacketBatch cut = new RawPacketBatch(1)) {
      MemorySegment record = scratch.allocate(PacketRecordLayout.SIZE_BYTES, LINE_BYTES);
      return new TemplateReader(captures, size, arena, record, cut).readAll();
    }
  }

  private static void measure(Path capture, Size size) {
    int before = size.packets;
    walk(
        capture,
        (batch, index) -> {
          if (++size.packets > Templates.MOST_PACKETS) {
            throw new CaptureException(
                String.format(
                    "%s: more than %,d packets, with the captures before it; resample keeps them all in memory: cut it"
                        + " first (editcap -c), or replay it",
                    capture, Templates.MOST_PACKETS));
          }
          size.frameBytes += roomBytes(batch.capturedBytes(index));
        });
    if (size.packets == before) {
      throw new CaptureException(capture + ": holds no packet that could be resampled");
    }
  }

  private static SourceCounters walk(Path capture, ObjIntConsumer<RawPacketBatch> each) {
    try (ReplaySource source = new ReplaySource(ReplayOptions.once(capture));
        RawPacketBatch batch = new RawPacketBatch(RawPacketBatch.DEFAULT_CAPACITY)) {
      while (source.fill(batch) != PacketSource.END) {
        for (int i = 0; i < batch.count(); i++) {
          each.accept(batch, i);
        }
      }
      return source.counters();
    }
  }

  private static int shownBytes(int capturedBytes) {
    return Math.min(capturedBytes, Templates.SHOWN_BYTES);
  }

  private static int roomBytes(int capturedBytes) {
    return (shownBytes(capturedBytes) + ALIGNMENT_BYTES - 1) & -ALIGNMENT_BYTES;
  }

  private Templates readAll() {
    for (int i = 0; i < captures.size(); i++) {
      read(i);
    }
    firstPackets[captures.size()] = packets;
    return new Templates(
        words, frames, firstPackets, durationsNs, mostAddresses, skippedGaps, malformed, notes);
  }

  private void read(int template) {
    Path capture = captures.get(template);
    firstPackets[template] = packets;
    numbers.clear();
    Arrays.fill(addresses, 0);
    changedPackets = 0;
    SourceCounters counters =
        walk(capture, (batch, index) -> durationsNs[template] = add(batch, index, template));
    counters.malformed().forEach((reason, count) -> malformed.merge(reason, count, Long::sum));
    notes.addAll(counters.notes());
    if (changedPackets == 0) {
      throw new CaptureException(
          String.format(
              "%s: none of its %,d packets has IP addresses; resample gives each instance its own",
              capture, packets - firstPackets[template]));
    }
    for (int i = 0; i < addresses.length; i++) {
      mostAddresses[i] = Math.max(mostAddresses[i], addresses[i]);
    }
  }

  /** Adds a packet and returns how long the capture is by now. */
  private long add(RawPacketBatch batch, int index, int template) {
    int shown = shownBytes(batch.capturedBytes(index));
    if (packets * Templates.PACKET_WORDS == words.length
        || frameBytes + shown > frames.byteSize()) {
      throw new CaptureException(
          captures.get(template)
              + ": grew while it was read; resample a copy that nobody writes to");
    }
    MemorySegment frame = frames.asSlice(frameBytes, shown);
    MemorySegment.copy(batch.base(), batch.dataOffset(index), frame, 0, shown);
    long sinceFirstNs = sinceFirstNs(batch.timeNs(index), packets == firstPackets[template]);
    int at = packets * Templates.PACKET_WORDS;
    words[at + Templates.TIME] = sinceFirstNs;
    words[at + Templates.FRAME] = Templates.frameWord(frameBytes, shown, batch.flags(index));
    words[at + Templates.WIRE] = Templates.wireWord(batch.wireBytes(index), batch.linkType(index));
    parse(batch, index, shown);
    if (places.find(frame, record)) {
      words[at + Templates.PLACES] = PacketPlaces.of(places);
      words[at + Templates.ADDRESSES] = addresses();
      changedPackets++;
      if (places.namedAddress() != HeaderPlaces.NOWHERE) {
        FrameRewriter.blank(frame, places.namedAddress(), places.namedAddressChecksum());
      }
    }
    packets++;
    frameBytes += roomBytes(batch.capturedBytes(index));
    return Math.max(durationsNs[template], sinceFirstNs);
  }

  /** A longer gap is nobody's: a time is damaged, or the capture was put together of several. */
  private long sinceFirstNs(long timeNs, boolean isFirst) {
    if (isFirst) {
      firstNs = timeNs;
    } else if (Math.abs(timeNs - previousNs) > Pacer.LONGEST_GAP_NS) {
      firstNs += timeNs - previousNs;
      skippedGaps++;
    }
    previousNs = timeNs;
    return timeNs - firstNs;
  }

  /** What the parser says of as much of the frame as is kept. */
  private void parse(RawPacketBatch batch, int index, int shown) {
    cut.begin(batch.base());
    cut.append(
        batch.dataOffset(index),
        batch.timeNs(index),
        shown,
        (int) batch.wireBytes(index),
        batch.linkType(index),
        batch.flags(index));
    ParserLibrary.instance()
        .parse(batch.base(), cut.descriptors(), 1, ParserProfile.SOFTWARE, record);
  }

  private long addresses() {
    long sourceHigh = PacketRecord.sourceAddressHigh(record, 0);
    long sourceLow = PacketRecord.sourceAddressLow(record, 0);
    long destinationHigh = PacketRecord.destinationAddressHigh(record, 0);
    long destinationLow = PacketRecord.destinationAddressLow(record, 0);
    return ((long) address(sourceHigh, sourceLow) << Integer.SIZE)
        | Integer.toUnsignedLong(address(destinationHigh, destinationLow));
  }

  private int address(long high, long low) {
    AddressClass kind = places.isIpv6() ? AddressClass.of6(high, low) : AddressClass.of4((int) low);
    if (kind == AddressClass.FIXED) {
      return Templates.address(kind, 0);
    }
    Integer number = numbers.get(new Address(high, low));
    if (number == null) {
      number = addresses[kind.number]++;
      numbers.put(new Address(high, low), number);
    }
    return Templates.address(kind, number);
  }
}
