// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.synthetic;

/** Bits of byte 13 of the TCP header. */
final class TcpFlags {
  static final int NONE = 0;
  static final int FIN = 0x01;
  static final int SYN = 0x02;
  static final int PSH = 0x08;
  static final int ACK = 0x10;
  static final int SYN_ACK = SYN | ACK;
  static final int FIN_ACK = FIN | ACK;
  static final int PSH_ACK = PSH | ACK;

  private TcpFlags() {}
}
