// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.format;

import static dev.flowstone.model.abi.PacketRecordLayout.DESCRIPTOR_OFFSET;
import static dev.flowstone.model.abi.PacketRecordLayout.DESTINATION_ADDRESS_OFFSET;
import static dev.flowstone.model.abi.PacketRecordLayout.DESTINATION_PORT_OFFSET;
import static dev.flowstone.model.abi.PacketRecordLayout.FLOW_HASH_OFFSET;
import static dev.flowstone.model.abi.PacketRecordLayout.KIND_SHIFT;
import static dev.flowstone.model.abi.PacketRecordLayout.PROTOCOL_OFFSET;
import static dev.flowstone.model.abi.PacketRecordLayout.SIZE_BYTES;
import static dev.flowstone.model.abi.PacketRecordLayout.SOURCE_ADDRESS_OFFSET;
import static dev.flowstone.model.abi.PacketRecordLayout.SOURCE_PORT_OFFSET;

import dev.flowstone.model.abi.RecordKind;
import java.lang.foreign.MemorySegment;
import java.util.function.IntUnaryOperator;

/**
 * Packets of as many IPv6 flows, whose flow hashes are what somebody wants them to be. CRC32C is
 * linear: which 32 bits of an address give a hash follows from 32 equations, solved once.
 */
final class ChosenFlows {
  private static final long SOURCE_HIGH = 0x2001_0db8_0000_0001L;
  private static final long DESTINATION_HIGH = 0x2001_0db8_0000_0002L;
  private static final int TCP = 6;
  private static final int PORT = 443;

  /** The reciprocal of the multiplier that spreads flow hashes: they come out as small numbers. */
  private static final int UNDO_SPREAD = reciprocal(0x9e3779b9);

  /** Bits of the address that change one bit of the hash each. */
  private static final int[] ADDRESS_OF_BIT = solve();

  private ChosenFlows() {}

  /** Writes count records from offset 0, each of a flow of its own. */
  static void fill(MemorySegment records, int count, IntUnaryOperator wantedHashOfFlow) {
    for (int flow = 0; flow < count; flow++) {
      final int wanted = wantedHashOfFlow.applyAsInt(flow);
      final int chosen = applied(wanted ^ hash(flow, 0));
      if (hash(flow, chosen) != wanted) {
        throw new AssertionError("the equations are not solved");
      }
      write(records, flow * SIZE_BYTES, flow, chosen, wanted);
    }
  }

  /** A table of up to 2^17 slots puts flows of these hashes into its first; flow is below 2^15. */
  static int hashInOneSlot(int flow) {
    return flow * UNDO_SPREAD;
  }

  /** Of an odd number, modulo 2^32; each step doubles the bits that are right. */
  private static int reciprocal(int odd) {
    int reciprocal = odd;
    for (int bits = 3; bits < Integer.SIZE; bits *= 2) {
      reciprocal *= 2 - odd * reciprocal;
    }
    return reciprocal;
  }

  private static int hash(int flow, int chosen) {
    return FlowHashPrediction.predict(
        SOURCE_HIGH, sourceLow(chosen), DESTINATION_HIGH, flow, PORT, PORT, TCP);
  }

  private static long sourceLow(int chosen) {
    return chosen & 0xffff_ffffL;
  }

  private static int applied(int hashBits) {
    int address = 0;
    for (int bit = 0; bit < Integer.SIZE; bit++) {
      address ^= (hashBits >>> bit & 1) == 0 ? 0 : ADDRESS_OF_BIT[bit];
    }
    return address;
  }

  /**
   * Gauss and Jordan over bits: row i ends as the hash's bit i and the address bits that make it.
   */
  private static int[] solve() {
    final int[] effect = new int[Integer.SIZE];
    final int[] address = new int[Integer.SIZE];
    for (int row = 0; row < Integer.SIZE; row++) {
      address[row] = 1 << row;
      effect[row] = hash(0, address[row]) ^ hash(0, 0);
    }
    for (int bit = 0; bit < Integer.SIZE; bit++) {
      int pivot = bit;
      while ((effect[pivot] >>> bit & 1) == 0) {
        pivot++;
      }
      exchange(effect, bit, pivot);
      exchange(address, bit, pivot);
      for (int row = 0; row < Integer.SIZE; row++) {
        if (row != bit && (effect[row] >>> bit & 1) != 0) {
          effect[row] ^= effect[bit];
          address[row] ^= address[bit];
        }
      }
    }
    return address;
  }

  private static void exchange(int[] rows, int one, int other) {
    final int row = rows[one];
    rows[one] = rows[other];
    rows[other] = row;
  }

  private static void write(MemorySegment records, long at, int flow, int chosen, int hash) {
    records.asSlice(at, SIZE_BYTES).fill((byte) 0);
    records.set(LittleEndian.INT_LAYOUT, at + FLOW_HASH_OFFSET, hash);
    records.set(LittleEndian.ADDRESS_LAYOUT, at + SOURCE_ADDRESS_OFFSET, SOURCE_HIGH);
    records.set(LittleEndian.ADDRESS_LAYOUT, at + SOURCE_ADDRESS_OFFSET + 8, sourceLow(chosen));
    records.set(LittleEndian.ADDRESS_LAYOUT, at + DESTINATION_ADDRESS_OFFSET, DESTINATION_HIGH);
    records.set(LittleEndian.ADDRESS_LAYOUT, at + DESTINATION_ADDRESS_OFFSET + 8, flow);
    records.set(LittleEndian.SHORT_LAYOUT, at + SOURCE_PORT_OFFSET, (short) PORT);
    records.set(LittleEndian.SHORT_LAYOUT, at + DESTINATION_PORT_OFFSET, (short) PORT);
    records.set(LittleEndian.INT_LAYOUT, at + PROTOCOL_OFFSET, TCP);
    records.set(LittleEndian.INT_LAYOUT, at + DESCRIPTOR_OFFSET, RecordKind.IPV6 << KIND_SHIFT);
  }
}
