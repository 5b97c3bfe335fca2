// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.resample;

import java.lang.foreign.MemorySegment;

/**
 * Gives a copy of a frame the addresses and ports of an instance. Checksums change by as much as
 * what they cover (RFC 1624), so that one that was wrong stays as wrong.
 */
final class FrameRewriter {
  /** From here on ports are a client's, and move within these. */
  static final int FIRST_CLIENT_PORT = 1 << 15;

  private static final int IPV4_CHECKSUM_BEFORE_ADDRESSES = 2;
  private static final long INT_MASK = 0xFFFF_FFFFL;

  private final NewAddresses addresses;

  FrameRewriter(NewAddresses addresses) {
    this.addresses = addresses;
  }

  /**
   * Changes a frame.
   *
   * @param places {@link PacketPlaces}, other than none
   * @param numbers the word of its addresses
   */
  void rewrite(MemorySegment frames, long frame, long places, long numbers, long instance) {
    long at = frame + PacketPlaces.addresses(places);
    int source = (int) (numbers >>> Integer.SIZE);
    int destination = (int) numbers;
    long moreBySource;
    long moreByDestination;
    if (PacketPlaces.isIpv6(places)) {
      moreBySource = ipv6(frames, at, source, instance);
      moreByDestination = ipv6(frames, at + HeaderPlaces.IPV6_ADDRESS_BYTES, destination, instance);
    } else {
      moreBySource = ipv4(frames, at, source, instance);
      moreByDestination = ipv4(frames, at + HeaderPlaces.IPV4_ADDRESS_BYTES, destination, instance);
      add(frames, at - IPV4_CHECKSUM_BEFORE_ADDRESSES, moreBySource + moreByDestination);
    }
    long more = moreBySource + (PacketPlaces.destinationIsUnderWay(places) ? 0 : moreByDestination);
    if (PacketPlaces.ports(places) != HeaderPlaces.NOWHERE) {
      long ports = frame + PacketPlaces.ports(places);
      int portShift = addresses.portShift(instance);
      more += port(frames, ports, portShift) + port(frames, ports + Short.BYTES, portShift);
    }
    if (PacketPlaces.checksum(places) != HeaderPlaces.NOWHERE) {
      long checksum = frame + PacketPlaces.checksum(places);
      if (!PacketPlaces.zeroMeansNone(places)) {
        add(frames, checksum, more);
      } else if (frames.get(HeaderPlaces.SHORT, checksum) != 0) {
        add(frames, checksum, more);
        if (frames.get(HeaderPlaces.SHORT, checksum) == 0) {
          frames.set(HeaderPlaces.SHORT, checksum, (short) 0xFFFF);
        }
      }
    }
  }

  /** Takes an address out that is nobody's of this packet. */
  static void blank(MemorySegment frame, int address, int checksum) {
    int before = frame.get(HeaderPlaces.INT, address);
    frame.set(HeaderPlaces.INT, address, 0);
    if (checksum + Short.BYTES <= frame.byteSize()) {
      add(frame, checksum, Integer.toUnsignedLong(~before));
    }
  }

  /** Returns by how much the sum over the address grew, of 16-bit words in ones' complement. */
  private long ipv4(MemorySegment frames, long at, int address, long instance) {
    AddressClass kind = Templates.kind(address);
    if (kind == AddressClass.FIXED) {
      return 0;
    }
    int before = frames.get(HeaderPlaces.INT, at);
    int after = addresses.ipv4(kind, instance, Templates.number(address));
    frames.set(HeaderPlaces.INT, at, after);
    return Integer.toUnsignedLong(after) + Integer.toUnsignedLong(~before);
  }

  private long ipv6(MemorySegment frames, long at, int address, long instance) {
    AddressClass kind = Templates.kind(address);
    if (kind == AddressClass.FIXED) {
      return 0;
    }
    long high = addresses.ipv6High(kind, instance);
    long low = addresses.ipv6Low(kind, instance, Templates.number(address));
    return set(frames, at, high) + set(frames, at + Long.BYTES, low);
  }

  private static long set(MemorySegment frames, long at, long after) {
    long before = frames.get(HeaderPlaces.LONG, at);
    frames.set(HeaderPlaces.LONG, at, after);
    return halves(after) + halves(~before);
  }

  private static long halves(long word) {
    return (word >>> Integer.SIZE) + (word & INT_MASK);
  }

  private static long port(MemorySegment frames, long at, int shift) {
    int before = Short.toUnsignedInt(frames.get(HeaderPlaces.SHORT, at));
    if (before < FIRST_CLIENT_PORT) {
      return 0;
    }
    int after = FIRST_CLIENT_PORT | ((before + shift) & (FIRST_CLIENT_PORT - 1));
    frames.set(HeaderPlaces.SHORT, at, (short) after);
    return after + (~before & 0xFFFFL);
  }

  /** What a checksum covers has grown by so much. */
  private static void add(MemorySegment frames, long at, long more) {
    long sum = (~frames.get(HeaderPlaces.SHORT, at) & 0xFFFF) + more;
    int words = (int) halves(halves(sum));
    int folded = (words + Integer.rotateLeft(words, Short.SIZE)) >>> Short.SIZE;
    frames.set(HeaderPlaces.SHORT, at, (short) ~folded);
  }
}
