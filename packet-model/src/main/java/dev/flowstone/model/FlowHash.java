// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.model;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * The flow hash: a number that both directions of a flow share, and that the parser, the card and
 * Flink agree on.
 *
 * <p>CRC32C (Castagnoli; initial value and final xor 0xFFFFFFFF, as {@link CRC32C}) of 40 bytes:
 *
 * <pre>
 * byte  0  lower endpoint's address, 16 bytes in network order; IPv4 as ::ffff:a.b.c.d
 *      16  higher endpoint's address, 16 bytes
 *      32  lower endpoint's port, 2 bytes big-endian
 *      34  higher endpoint's port, 2 bytes big-endian
 *      36  protocol
 *      37  three zero bytes
 * </pre>
 *
 * <p>Lower is the endpoint with the smaller 16 address bytes, compared as unsigned bytes from the
 * first; with equal addresses the one with the smaller port. Later fragments have ports 0 and hash
 * with them. A record without a 5-tuple (kind OTHER) has the hash 0.
 *
 * <p>An instance allocates nothing after its construction and belongs to one thread.
 */
public final class FlowHash {
  private static final int INPUT_BYTES = 40;

  private final CRC32C crc = new CRC32C();
  private final ByteBuffer input = ByteBuffer.allocate(INPUT_BYTES);

  /** The hash of one tuple; 0 without IP. For many, keep an instance and call {@link #hash}. */
  public static int of(FlowTuple tuple) {
    return new FlowHash().hash(tuple);
  }

  /** As the record of a packet with this tuple has it. */
  public int hash(FlowTuple tuple) {
    if (!tuple.isIp()) {
      return 0;
    }
    return hash(
        tuple.sourceHigh(),
        tuple.sourceLow(),
        tuple.destinationHigh(),
        tuple.destinationLow(),
        tuple.sourcePort(),
        tuple.destinationPort(),
        tuple.protocol());
  }

  /** Address halves are big-endian numbers, as {@link FlowTuple} has them. */
  public int hash(
      long sourceHigh,
      long sourceLow,
      long destinationHigh,
      long destinationLow,
      int sourcePort,
      int destinationPort,
      int protocol) {
    if (FlowTuple.isSourceLower(
        sourceHigh, sourceLow, sourcePort, destinationHigh, destinationLow, destinationPort)) {
      putEndpoints(
          sourceHigh, sourceLow, sourcePort, destinationHigh, destinationLow, destinationPort);
    } else {
      putEndpoints(
          destinationHigh, destinationLow, destinationPort, sourceHigh, sourceLow, sourcePort);
    }
    input.put(36, (byte) protocol); // Bytes 37 to 39 are never written and stay zero.
    crc.reset();
    crc.update(input.array(), 0, INPUT_BYTES);
    return (int) crc.getValue();
  }

  private void putEndpoints(
      long lowerHigh,
      long lowerLow,
      int lowerPort,
      long higherHigh,
      long higherLow,
      int higherPort) {
    input.putLong(0, lowerHigh);
    input.putLong(8, lowerLow);
    input.putLong(16, higherHigh);
    input.putLong(24, higherLow);
    input.putShort(32, (short) lowerPort);
    input.putShort(34, (short) higherPort);
  }
}
