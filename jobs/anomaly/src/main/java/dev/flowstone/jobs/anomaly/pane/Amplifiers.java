// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.anomaly.pane;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.util.Arrays;

/**
 * Protocols over UDP that answer with much to a little question, whoever asks, by the port that
 * answers come from. The table is {@code amplifiers.csv} beside this class.
 */
public final class Amplifiers {
  private static final int PORTS = 1 << 16;
  private static final int NONE = Integer.MAX_VALUE;

  private static final Amplifiers KNOWN = read("amplifiers.csv");

  private final int[] leastBytes = new int[PORTS];
  private final String[] names = new String[PORTS];

  private Amplifiers() {
    Arrays.fill(leastBytes, NONE);
  }

  public static Amplifiers known() {
    return KNOWN;
  }

  private static Amplifiers read(String resource) {
    try (InputStream in = Amplifiers.class.getResourceAsStream(resource);
        BufferedReader lines = new BufferedReader(new InputStreamReader(in, UTF_8))) {
      Amplifiers amplifiers = new Amplifiers();
      lines.lines().filter(line -> !line.startsWith("#")).forEach(amplifiers::add);
      return amplifiers;
    } catch (IOException e) {
      throw new UncheckedIOException("in this jar: " + resource, e);
    }
  }

  private void add(String line) {
    String[] cells = line.split(",", -1);
    int port = Integer.parseInt(cells[0]);
    names[port] = cells[1];
    leastBytes[port] = Integer.parseInt(cells[2]);
  }

  /** Whether an answer of so many bytes is one of those that attacks are made of. */
  boolean isAmplified(int sourcePort, int payloadLength) {
    return payloadLength >= leastBytes[sourcePort];
  }

  /** Of the protocol that answers from this port. */
  public String name(int port) {
    return names[port];
  }
}
