// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.anomaly.sketch;

import java.nio.ByteBuffer;
import java.nio.LongBuffer;

/**
 * How many different values there were, by their {@link FixedHash}: exact up to {@value
 * #MOST_EXACT}, then a HyperLogLog of {@value #REGISTERS} registers, whose standard error is 3.3 %.
 * Depends on the set of values alone, not on how often or in which order they came. One thread.
 */
public final class DistinctCount {
  static final int MOST_EXACT = 64;
  static final int REGISTERS = 1 << 10;

  private static final int INDEX_BITS = Integer.numberOfTrailingZeros(REGISTERS);
  private static final int FIRST_SLOTS = 2;

  /** Flajolet's constant for so many registers. */
  private static final double ALPHA = 0.7213 / (1 + 1.079 / REGISTERS);

  /** An open-addressed set, 0 where there is none; null once there are registers. */
  private long[] exact = new long[FIRST_SLOTS];

  private int size;
  private byte[] registers;

  public void add(long hash) {
    if (registers != null) {
      register(hash);
    } else {
      addExact(hash == 0 ? 1 : hash);
    }
  }

  private void addExact(long hash) {
    int slot = slotOf(hash);
    if (exact[slot] == hash) {
      return;
    }
    if (size == MOST_EXACT) {
      toRegisters();
      register(hash);
      return;
    }
    exact[slot] = hash;
    size++;
    if (size * 2 > exact.length) {
      grow();
    }
  }

  private int slotOf(long hash) {
    int slot = (int) hash & exact.length - 1;
    while (exact[slot] != 0 && exact[slot] != hash) {
      slot = slot + 1 & exact.length - 1;
    }
    return slot;
  }

  private void grow() {
    long[] before = exact;
    exact = new long[before.length * 2];
    for (long hash : before) {
      if (hash != 0) {
        exact[slotOf(hash)] = hash;
      }
    }
  }

  private void toRegisters() {
    registers = new byte[REGISTERS];
    for (long hash : exact) {
      if (hash != 0) {
        register(hash);
      }
    }
    exact = null;
  }

  /** The upper bits choose a register, which keeps the longest run of zeros that follows. */
  private void register(long hash) {
    int index = (int) (hash >>> (Long.SIZE - INDEX_BITS));
    int rank = 1 + Long.numberOfLeadingZeros((hash << INDEX_BITS) | REGISTERS / 2);
    if (rank > registers[index]) {
      registers[index] = (byte) rank;
    }
  }

  /** Adds all that another one was given, as {@link #toBytes} has it. */
  public void addAll(byte[] other) {
    if (other.length < REGISTERS) {
      LongBuffer hashes = ByteBuffer.wrap(other).asLongBuffer();
      while (hashes.hasRemaining()) {
        add(hashes.get());
      }
      return;
    }
    if (registers == null) {
      toRegisters();
    }
    for (int i = 0; i < REGISTERS; i++) {
      registers[i] = (byte) Math.max(registers[i], other[i]);
    }
  }

  /** The values themselves, or all registers. */
  public byte[] toBytes() {
    if (registers != null) {
      return registers.clone();
    }
    ByteBuffer bytes = ByteBuffer.allocate(size * Long.BYTES);
    for (long hash : exact) {
      if (hash != 0) {
        bytes.putLong(hash);
      }
    }
    return bytes.array();
  }

  /** Of the heap, for what it keeps. */
  public int memoryBytes() {
    return registers == null ? Long.BYTES * exact.length : REGISTERS;
  }

  public long estimate() {
    if (registers == null) {
      return size;
    }
    double sum = 0;
    int empty = 0;
    for (byte register : registers) {
      sum += Math.scalb(1.0, -register);
      empty += register == 0 ? 1 : 0;
    }
    double estimate = ALPHA * REGISTERS * REGISTERS / sum;
    // Few values leave registers empty, and how many says more than the others do.
    boolean isFew = estimate <= 2.5 * REGISTERS && empty > 0;
    return Math.round(isFew ? REGISTERS * Math.log((double) REGISTERS / empty) : estimate);
  }
}
