// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.inspect;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;

/** Writes a pcap file with nanoseconds and Ethernet frames. */
final class TinyCapture {
  private static final int FRAME_BYTES = 54;
  private static final long NS_PER_SECOND = 1_000_000_000;

  private final ByteBuffer bytes;

  TinyCapture() {
    this(1 << 20);
  }

  TinyCapture(int mostBytes) {
    bytes = ByteBuffer.allocate(mostBytes).order(ByteOrder.LITTLE_ENDIAN);
    bytes.putInt(0xa1b23c4d).putShort((short) 2).putShort((short) 4);
    bytes.putLong(0).putInt(65535).putInt(1);
  }

  /** TCP over IPv4 from 10.0.0.{source} to 10.0.0.{destination}. */
  TinyCapture tcp(long timeNs, int source, int sourcePort, int destination, int port, int flags) {
    record(timeNs, FRAME_BYTES);
    bytes.order(ByteOrder.BIG_ENDIAN);
    bytes.put(new byte[12]).putShort((short) 0x0800);
    bytes.putInt(0x45000028).putInt(0).putInt(0x40060000);
    bytes.putInt(0x0a000000 | source).putInt(0x0a000000 | destination);
    bytes.putShort((short) sourcePort).putShort((short) port).putLong(0);
    bytes.put((byte) 0x50).put((byte) flags).putShort((short) 0).putInt(0);
    bytes.order(ByteOrder.LITTLE_ENDIAN);
    return this;
  }

  TinyCapture arp(long timeNs) {
    record(timeNs, 42);
    bytes.put(new byte[12]).put((byte) 0x08).put((byte) 0x06).put(new byte[28]);
    return this;
  }

  private void record(long timeNs, int frameBytes) {
    bytes.putInt((int) (timeNs / NS_PER_SECOND)).putInt((int) (timeNs % NS_PER_SECOND));
    bytes.putInt(frameBytes).putInt(frameBytes);
  }

  String write(Path file) throws IOException {
    byte[] content = new byte[bytes.position()];
    bytes.get(0, content);
    Files.write(file, content);
    return file.toString();
  }
}
