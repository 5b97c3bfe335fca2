// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.format;

/**
 * What encoder and decoder both expect of the next packet; its home in words is the page of the
 * columnar body.
 */
final class Prediction {
  static final int TCP = 6;
  static final int UDP = 17;

  private static final int UDP_HEADER_BYTES = 8;
  private static final int FIN = 0x01;
  private static final int SYN = 0x02;

  private Prediction() {}

  /** All bits set where a packet is of this protocol: what follows from it needs no branch. */
  static int maskOf(int wanted, int protocol) {
    return ((protocol ^ wanted) - 1) >> 31;
  }

  /**
   * The sequence number after this packet; other protocols than TCP repeat the first word of their
   * header.
   */
  static int nextSequence(int protocol, int sequence, int payloadLength, int tcpFlags) {
    final int advance = payloadLength + (tcpFlags & FIN) + ((tcpFlags & SYN) >>> 1);
    return sequence + (advance & maskOf(TCP, protocol));
  }

  /** The second word of a UDP header, without its checksum. */
  static int udpLengthWord(int payloadLength) {
    return (payloadLength + UDP_HEADER_BYTES) << 16;
  }

  /** PSH and ACK, the flags of most packets, become the lowest two bits. */
  static int rotateFlags(int tcpFlags) {
    return (tcpFlags >>> 3 | tcpFlags << 5) & 0xff;
  }

  /** Only the lowest byte counts: a column may hold more, and every reader must find the same. */
  static int restoreFlags(int rotatedFlags) {
    return (rotatedFlags << 3 | (rotatedFlags & 0xff) >>> 5) & 0xff;
  }
}
