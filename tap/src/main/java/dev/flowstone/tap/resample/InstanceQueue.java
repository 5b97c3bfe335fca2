// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.resample;

import java.util.Arrays;

/**
 * Instances that live, the one whose next packet is due first at the head: a heap in arrays, four
 * children to a node.
 */
final class InstanceQueue {
  /** Time of a queue's head when there is none. */
  static final long NEVER = Long.MAX_VALUE;

  private static final int CHILDREN = 4;
  private static final int FIRST_CAPACITY = 1024;

  private final int most;
  private long[] dueNs = new long[FIRST_CAPACITY];
  private int[] places = new int[FIRST_CAPACITY];

  /** By place: the number of the instance, when it started, its next packet. */
  private long[] instances = new long[FIRST_CAPACITY];

  private long[] startsNs = new long[FIRST_CAPACITY];
  private int[] packets = new int[FIRST_CAPACITY];
  private int[] ends = new int[FIRST_CAPACITY];
  private int size;

  /** Has room for so many. */
  InstanceQueue(int most) {
    this.most = most;
    freeFrom(0);
  }

  /** Behind the heap stand the places that are free. */
  private void freeFrom(int place) {
    for (int i = place; i < places.length; i++) {
      places[i] = i;
    }
  }

  int size() {
    return size;
  }

  boolean isFull() {
    return size == most;
  }

  /** When the next packet of all is due. */
  long headDueNs() {
    return size == 0 ? NEVER : dueNs[0];
  }

  long headInstance() {
    return instances[places[0]];
  }

  long headStartNs() {
    return startsNs[places[0]];
  }

  int headPacket() {
    return packets[places[0]];
  }

  /** Adds an instance that goes on with a packet, due then, until the end of its packets. */
  void add(long instance, long startNs, int packet, int end, long due) {
    if (size == places.length) {
      grow();
    }
    int place = places[size];
    instances[place] = instance;
    startsNs[place] = startNs;
    packets[place] = packet;
    ends[place] = end;
    up(size++, due, place);
  }

  private void grow() {
    int before = places.length;
    int capacity = (int) Math.min(most, 2L * before);
    dueNs = Arrays.copyOf(dueNs, capacity);
    places = Arrays.copyOf(places, capacity);
    instances = Arrays.copyOf(instances, capacity);
    startsNs = Arrays.copyOf(startsNs, capacity);
    packets = Arrays.copyOf(packets, capacity);
    ends = Arrays.copyOf(ends, capacity);
    freeFrom(before);
  }

  /** The head's packet is out; false when it was its last one. */
  boolean advanceHead() {
    int place = places[0];
    return ++packets[place] < ends[place];
  }

  /** The head goes on with a packet that is due then. */
  void headGoesOn(long due) {
    down(due, places[0]);
  }

  void removeHead() {
    int free = places[0];
    size--;
    int last = places[size];
    places[size] = free;
    if (size > 0) {
      down(dueNs[size], last);
    }
  }

  private void up(int from, long due, int place) {
    int node = from;
    while (node > 0 && due < dueNs[(node - 1) / CHILDREN]) {
      int parent = (node - 1) / CHILDREN;
      dueNs[node] = dueNs[parent];
      places[node] = places[parent];
      node = parent;
    }
    dueNs[node] = due;
    places[node] = place;
  }

  /** Lets an instance sink from the head. */
  private void down(long due, int place) {
    int node = 0;
    while (true) {
      int first = node * CHILDREN + 1;
      int end = Math.min(first + CHILDREN, size);
      int least = node;
      long leastNs = due;
      for (int child = first; child < end; child++) {
        if (dueNs[child] < leastNs) {
          least = child;
          leastNs = dueNs[child];
        }
      }
      if (least == node) {
        break;
      }
      dueNs[node] = leastNs;
      places[node] = places[least];
      node = least;
    }
    dueNs[node] = due;
    places[node] = place;
  }
}
