// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.anomaly.sketch;

import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Who sent how much of it, from a sample of {@value #MOST_KEPT} packets: of all packets those whose
 * rank, a hash of what is in them, is smallest. So each packet has the same chance, the shares are
 * right on average, and exact when there were no more packets than that. Packets are added once.
 * One thread.
 */
public final class PeerSample {
  static final int MOST_KEPT = 64;

  /** Longs of one packet: rank, upper and lower half of the address. */
  private static final int WORDS = 3;

  private static final int FIRST_KEPT = 1;

  /** A heap: no packet's rank is above that of the one at half its number. */
  private long[] packets = new long[FIRST_KEPT * WORDS];

  private int size;

  /** An address and the part of the packets that it sent, 0 to 1. */
  public record Share(long high, long low, double share) {}

  public void add(long rank, long high, long low) {
    if (size == MOST_KEPT) {
      if (rank < packets[0]) {
        sink(0, rank, high, low);
      }
      return;
    }
    if (size * WORDS == packets.length) {
      packets = Arrays.copyOf(packets, 2 * packets.length);
    }
    lift(size++, rank, high, low);
  }

  private void lift(int from, long rank, long high, long low) {
    int at = from;
    while (at > 0 && rankOf((at - 1) / 2) < rank) {
      move((at - 1) / 2, at);
      at = (at - 1) / 2;
    }
    put(at, rank, high, low);
  }

  private void sink(int from, long rank, long high, long low) {
    int at = from;
    for (int child = 2 * at + 1; child < size; child = 2 * at + 1) {
      int greater = child + 1 < size && rankOf(child + 1) > rankOf(child) ? child + 1 : child;
      if (rankOf(greater) <= rank) {
        break;
      }
      move(greater, at);
      at = greater;
    }
    put(at, rank, high, low);
  }

  private long rankOf(int index) {
    return packets[index * WORDS];
  }

  private void move(int from, int to) {
    System.arraycopy(packets, from * WORDS, packets, to * WORDS, WORDS);
  }

  private void put(int index, long rank, long high, long low) {
    packets[index * WORDS] = rank;
    packets[index * WORDS + 1] = high;
    packets[index * WORDS + 2] = low;
  }

  /** Adds the packets of another sample, as {@link #toLongs} has them. */
  public void addAll(long[] other) {
    for (int i = 0; i < other.length; i += WORDS) {
      add(other[i], other[i + 1], other[i + 2]);
    }
  }

  /** Of the heap, for what it keeps. */
  public int memoryBytes() {
    return Long.BYTES * packets.length;
  }

  public long[] toLongs() {
    return Arrays.copyOf(packets, size * WORDS);
  }

  private record Address(long high, long low) {}

  /**
   * The largest first; of equal ones the lower address. Where the sample is full, who is in it once
   * is left out: who it is is chance, and says nothing of its share.
   */
  public List<Share> top(int most) {
    Map<Address, Integer> counts = new HashMap<>();
    for (int i = 0; i < size; i++) {
      Address address = new Address(packets[i * WORDS + 1], packets[i * WORDS + 2]);
      counts.merge(address, 1, Integer::sum);
    }
    int least = size == MOST_KEPT ? 2 : 1;
    return counts.entrySet().stream()
        .filter(one -> one.getValue() >= least)
        .map(
            one ->
                new Share(one.getKey().high(), one.getKey().low(), one.getValue() / (double) size))
        .sorted(
            Comparator.comparingDouble(Share::share)
                .reversed()
                .thenComparing(Share::high, Long::compareUnsigned)
                .thenComparing(Share::low, Long::compareUnsigned))
        .limit(most)
        .toList();
  }
}
