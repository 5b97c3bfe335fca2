// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.resample;

import java.nio.ByteBuffer;

/**
 * By how much the checksums of an Ethernet frame differ from what is right for as much of it as is
 * there: the same number before and after a change that keeps them as right or wrong as they were.
 */
final class ChecksumError {
  private ChecksumError() {}

  /** 0 when all is right. */
  static int of(SeenPackets.Packet packet) {
    ByteBuffer frame = packet.frame();
    return switch (frame.getShort(12) & 0xFFFF) {
      case 0x0800 -> ipv4(frame);
      case 0x86DD -> ipv6(frame);
      default -> 0;
    };
  }

  private static int ipv4(ByteBuffer frame) {
    int headerBytes = (frame.get(14) & 0xF) * 4;
    int header = error(sum(frame, 14, 14 + headerBytes));
    boolean laterFragment = (frame.getShort(20) & 0x1FFF) != 0;
    int protocol = frame.get(23);
    int bytes = (frame.getShort(16) & 0xFFFF) - headerBytes;
    int transport = laterFragment ? 0 : transport(frame, 26, 34, protocol, 14 + headerBytes, bytes);
    return (header << 16) | transport;
  }

  private static int ipv6(ByteBuffer frame) {
    return transport(frame, 22, 54, frame.get(20), 54, frame.getShort(18) & 0xFFFF);
  }

  private static int transport(
      ByteBuffer frame, int addresses, int addressesEnd, int protocol, int start, int bytes) {
    boolean pseudo = protocol == 6 || protocol == 17 || protocol == 58;
    if (!pseudo && protocol != 1) {
      return 0;
    }
    long sum = sum(frame, start, Math.min(start + bytes, frame.capacity()));
    if (pseudo) {
      sum += sum(frame, addresses, addressesEnd) + protocol + bytes;
    }
    return error(sum);
  }

  private static long sum(ByteBuffer frame, int start, int end) {
    long sum = 0;
    for (int i = start; i < end; i++) {
      sum += (frame.get(i) & 0xFF) << ((i - start) % 2 == 0 ? 8 : 0);
    }
    return sum;
  }

  private static int error(long sum) {
    return (int) (sum % 0xFFFF);
  }
}
