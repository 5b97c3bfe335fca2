// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.testbed.captures;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/**
 * A capture by a machine whose clock was set again and again, forth and back: TCP connections of
 * which each packet carries one byte.
 */
public final class SteppedCapture {
  private static final int CONNECTIONS = 64;
  private static final int PACKETS_BETWEEN_STEPS = 10_000;
  private static final long START_US = 1_700_000_000_000_000L;
  private static final long INTERVAL_US = 50;
  private static final int MOST_STEP_HOURS = 48;

  private static final int NATIVE_MAGIC = 0xa1b2c3d4;
  private static final int ETHERNET = 1;
  private static final int FRAME_BYTES = 14 + 20 + 20 + 1;

  private final ByteBuffer packet =
      ByteBuffer.allocate(4 * Integer.BYTES + FRAME_BYTES).order(ByteOrder.LITTLE_ENDIAN);
  private long timeSumNs;

  private SteppedCapture() {}

  /**
   * Writes it.
   *
   * @param steps of the clock; the first is forth, the next back
   * @return the sum of all packets' times, in nanoseconds
   */
  public static long write(Path file, int steps, Random random) throws IOException {
    SteppedCapture capture = new SteppedCapture();
    try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file))) {
      ByteBuffer header = ByteBuffer.allocate(24).order(ByteOrder.LITTLE_ENDIAN);
      header.putInt(NATIVE_MAGIC).putShort((short) 2).putShort((short) 4);
      out.write(header.putLong(8, 0).putInt(16, 65_535).putInt(20, ETHERNET).array());
      long clockUs = START_US;
      int number = 0;
      for (int step = 0; step <= steps; step++) {
        for (int i = 0; i < PACKETS_BETWEEN_STEPS; i++) {
          clockUs += INTERVAL_US;
          capture.put(out, number++, clockUs);
        }
        clockUs += stepUs(step, random);
      }
    }
    return capture.timeSumNs;
  }

  /** Forth and back in turns. */
  private static long stepUs(int step, Random random) {
    long us = TimeUnit.HOURS.toMicros(random.nextInt(1, MOST_STEP_HOURS));
    return step % 2 == 0 ? us : -us;
  }

  private void put(OutputStream out, int number, long timeUs) throws IOException {
    timeSumNs += TimeUnit.MICROSECONDS.toNanos(timeUs);
    packet.clear().order(ByteOrder.LITTLE_ENDIAN);
    packet.putInt((int) (timeUs / 1_000_000)).putInt((int) (timeUs % 1_000_000));
    packet.putInt(FRAME_BYTES).putInt(FRAME_BYTES);
    packet.order(ByteOrder.BIG_ENDIAN);
    putHeaders(number % CONNECTIONS, number / CONNECTIONS);
    out.write(packet.array());
  }

  /** Ethernet, IPv4, TCP and a byte; a SYN opens the connection and has none, but for padding. */
  private void putHeaders(int connection, int sequence) {
    boolean opens = sequence == 0;
    packet.putLong(0x0200_0000_0002_0200L).putInt(0x0000_0001).putShort((short) 0x0800);
    packet.putInt(0x4500_0000 | (opens ? 40 : 41)).putInt(0).putInt(0x4006_0000);
    packet.putInt(0x0a00_0001).putInt(0xc633_6407);
    packet.putShort((short) (40_000 + connection)).putShort((short) 443);
    packet.putInt(sequence).putInt(0);
    packet.putInt(opens ? 0x5002_ffff : 0x5010_ffff).putInt(0).put((byte) 0);
  }
}
