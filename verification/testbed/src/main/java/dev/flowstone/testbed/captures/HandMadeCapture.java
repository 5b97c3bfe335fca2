// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.testbed.captures;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;

/**
 * Six packets whose answers can be counted by eye: a handshake of three over IPv4, a SYN over IPv6
 * below two VLAN tags, a later fragment, and an ARP question.
 */
public final class HandMadeCapture {
  /** What the six packets amount to, as an oracle says it. */
  public static final String ORACLE =
      """
      {"answers": {"packets": 6, "bytes_wire": 340, "distinct_5tuples_directional": 4,
        "distinct_5tuples_bidirectional": 3, "syn_without_ack": 2, "syn_with_ack": 1,
        "syn_windows": {"windows_with_any_syn_by_dst": 2, "largest": 1, "over_10_by_dst_count": 0}},
       "capture": {"classes": {"ipv4": 4, "ipv6": 1, "nonip": 1}}}
      """;

  private static final String MACS = "020000000002020000000001";
  private static final String CLIENT = "c0000201";
  private static final String SERVER = "c6336407";
  private static final String CLIENT_IPV6 = "20010db8000000000000000000000001";
  private static final String SERVER_IPV6 = "20010db8000000000000000000000002";
  private static final int TCP = 6;
  private static final int START_S = 1_700_000_001;

  private final ByteArrayOutputStream file = new ByteArrayOutputStream();
  private final Duration spacing;
  private Instant time = Instant.ofEpochSecond(START_S);

  private HandMadeCapture(Duration spacing) {
    this.spacing = spacing;
  }

  /** A packet each second. */
  public static void write(Path path) throws IOException {
    write(path, Duration.ofSeconds(1));
  }

  public static void write(Path path, Duration spacing) throws IOException {
    HandMadeCapture capture = new HandMadeCapture(spacing);
    capture.fileHeader();
    capture.packet(ipv4(CLIENT, SERVER, 0, tcp("c35001bb", "02")));
    capture.packet(ipv4(SERVER, CLIENT, 0, tcp("01bbc350", "12")));
    capture.packet(ipv4(CLIENT, SERVER, 0, tcp("c35001bb", "10")));
    capture.packet(
        MACS
            + "88a80001"
            + "81000002"
            + "86dd"
            + "600000000014"
            + "0640"
            + CLIENT_IPV6
            + SERVER_IPV6
            + tcp("c35101bb", "02"));
    capture.packet(ipv4(CLIENT, SERVER, 185, tcp("c35001bb", "02")));
    capture.packet(
        MACS + "0806" + "0001080006040001" + "020000000001" + CLIENT + "000000000000" + SERVER);
    Files.write(path, capture.file.toByteArray());
  }

  private static String ipv4(String source, String destination, int fragment, String payload) {
    int length = 20 + payload.length() / 2;
    return MACS
        + "0800"
        + "4500"
        + HexFormat.of().toHexDigits((short) length)
        + "0001"
        + HexFormat.of().toHexDigits((short) fragment)
        + "40"
        + HexFormat.of().toHexDigits((byte) TCP)
        + "0000"
        + source
        + destination
        + payload;
  }

  private static String tcp(String ports, String flags) {
    return ports + "00000001" + "00000000" + "50" + flags + "ffff" + "0000" + "0000";
  }

  private void fileHeader() {
    int snapshotBytes = 65_535;
    int ethernet = 1;
    putInts(0xa1b2c3d4, 4 << 16 | 2, 0, 0, snapshotBytes, ethernet);
  }

  private void packet(String frameHex) {
    byte[] frame = HexFormat.of().parseHex(frameHex);
    putInts((int) time.getEpochSecond(), time.getNano() / 1_000, frame.length, frame.length);
    file.writeBytes(frame);
    time = time.plus(spacing);
  }

  private void putInts(int... values) {
    ByteBuffer bytes = ByteBuffer.allocate(values.length * Integer.BYTES);
    bytes.order(ByteOrder.LITTLE_ENDIAN).asIntBuffer().put(values);
    file.writeBytes(bytes.array());
  }
}
