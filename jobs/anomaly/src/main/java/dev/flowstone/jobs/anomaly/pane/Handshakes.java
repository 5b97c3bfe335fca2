// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.anomaly.pane;

import dev.flowstone.model.PacketRecord;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.function.IntPredicate;

/**
 * Connections that somebody began and that are not complete yet. One who gets an answer to a SYN
 * sends an ACK without SYN in the same direction: that is looked for, so that the other direction,
 * which may take another route, need not be seen. Up to {@value #MOST_PENDING} at a time, each for
 * {@value #LIMIT_SECONDS} s of packet time; for what finds no room nobody waits.
 *
 * <p>A packet that belongs to none is told by eight numbers that lie side by side. One thread.
 */
final class Handshakes {
  static final int MOST_PENDING = 1 << 16;
  static final int LIMIT_SECONDS = 3;

  private static final long LIMIT_NS = LIMIT_SECONDS * 1_000_000_000L;

  /** Places that a connection may have; whoever chooses flow hashes fills no others. */
  private static final int BUCKET = 8;

  private static final int SPREAD = 0x9e37_79b1;
  private static final int FREE = 0;

  /** Longs of a place: addresses, both ports, time of the SYN. */
  private static final int WORDS = 6;

  private static final int SAVED_BYTES = Integer.BYTES + WORDS * Long.BYTES;

  /** The flow hash of each place, or {@link #FREE}. */
  private final int[] hashes = new int[MOST_PENDING];

  private final long[] words = new long[MOST_PENDING * WORDS];
  private int pending;

  /** What a SYN was. */
  enum Begun {
    /** A connection that is waited for from here on. */
    NEW,
    /** One that is waited for already. */
    AGAIN,
    NO_ROOM
  }

  private static int hash(MemorySegment records, long at) {
    int hash = PacketRecord.flowHash(records, at);
    return hash == FREE ? 1 : hash;
  }

  private static int firstPlace(int hash) {
    return ((hash * SPREAD) >>> 3) & (MOST_PENDING - BUCKET);
  }

  private static long ports(MemorySegment records, long at) {
    return ((long) PacketRecord.sourcePort(records, at) << Short.SIZE)
        | PacketRecord.destinationPort(records, at);
  }

  Begun begin(MemorySegment records, long at, long timeNs) {
    int hash = hash(records, at);
    int first = firstPlace(hash);
    int free = -1;
    for (int place = first; place < first + BUCKET; place++) {
      if (hashes[place] == FREE) {
        free = place;
      } else if (hashes[place] == hash && is(place, records, at)) {
        boolean waits = timeNs - timeOf(place) <= LIMIT_NS;
        put(place, hash, records, at, waits ? timeOf(place) : timeNs);
        return waits ? Begun.AGAIN : Begun.NEW;
      } else if (timeNs - timeOf(place) > LIMIT_NS) {
        free = place;
      }
    }
    if (free < 0) {
      return Begun.NO_ROOM;
    }
    pending += hashes[free] == FREE ? 1 : 0;
    put(free, hash, records, at, timeNs);
    return Begun.NEW;
  }

  /** Whether the packet, which has an ACK and no SYN, completes a connection. */
  boolean complete(MemorySegment records, long at, long timeNs) {
    int hash = hash(records, at);
    int first = firstPlace(hash);
    for (int place = first; place < first + BUCKET; place++) {
      if (hashes[place] == hash && is(place, records, at)) {
        hashes[place] = FREE;
        pending--;
        return timeNs - timeOf(place) <= LIMIT_NS;
      }
    }
    return false;
  }

  private boolean is(int place, MemorySegment records, long at) {
    int word = place * WORDS;
    return words[word + 4] == ports(records, at)
        && words[word + 1] == PacketRecord.sourceAddressLow(records, at)
        && words[word + 3] == PacketRecord.destinationAddressLow(records, at)
        && words[word] == PacketRecord.sourceAddressHigh(records, at)
        && words[word + 2] == PacketRecord.destinationAddressHigh(records, at);
  }

  private long timeOf(int place) {
    return words[place * WORDS + WORDS - 1];
  }

  private void put(int place, int hash, MemorySegment records, long at, long timeNs) {
    hashes[place] = hash;
    int word = place * WORDS;
    words[word] = PacketRecord.sourceAddressHigh(records, at);
    words[word + 1] = PacketRecord.sourceAddressLow(records, at);
    words[word + 2] = PacketRecord.destinationAddressHigh(records, at);
    words[word + 3] = PacketRecord.destinationAddressLow(records, at);
    words[word + 4] = ports(records, at);
    words[word + 5] = timeNs;
  }

  /** Forgets those that no packet from this time on can complete. */
  void forgetBefore(long earliestNs) {
    if (pending == 0) {
      return;
    }
    for (int place = 0; place < MOST_PENDING; place++) {
      if (hashes[place] != FREE && earliestNs - LIMIT_NS > timeOf(place)) {
        hashes[place] = FREE;
        pending--;
      }
    }
  }

  int pending() {
    return pending;
  }

  /** All of them, for {@link #restore}. */
  byte[] save() {
    ByteBuffer bytes = ByteBuffer.allocate(pending * SAVED_BYTES);
    for (int place = 0; place < MOST_PENDING; place++) {
      if (hashes[place] != FREE) {
        bytes.putInt(hashes[place]);
        for (int word = 0; word < WORDS; word++) {
          bytes.putLong(words[place * WORDS + word]);
        }
      }
    }
    return bytes.array();
  }

  /**
   * Adds saved ones as far as there is room; how many there was none for.
   *
   * @param isMine whose flow hash belongs here
   */
  int restore(byte[] saved, IntPredicate isMine) {
    ByteBuffer bytes = ByteBuffer.wrap(saved);
    int withoutRoom = 0;
    while (bytes.hasRemaining()) {
      int hash = bytes.getInt();
      long[] one = new long[WORDS];
      Arrays.setAll(one, _ -> bytes.getLong());
      if (isMine.test(hash)) {
        withoutRoom += restore(hash, one) ? 0 : 1;
      }
    }
    return withoutRoom;
  }

  private boolean restore(int hash, long[] one) {
    int first = firstPlace(hash);
    for (int place = first; place < first + BUCKET; place++) {
      if (hashes[place] == FREE) {
        hashes[place] = hash;
        System.arraycopy(one, 0, words, place * WORDS, WORDS);
        pending++;
        return true;
      }
    }
    return false;
  }
}
