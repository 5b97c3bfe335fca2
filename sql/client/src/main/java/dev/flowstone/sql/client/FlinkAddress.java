// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.sql.client;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;

/** Where the Flink is that runs queries: its REST port. */
record FlinkAddress(String host, int port) {
  private static final int PATIENCE_MS = 3_000;

  /**
   * Of what somebody typed.
   *
   * @throws IllegalArgumentException if it is not {@code http://HOST:PORT}
   */
  static FlinkAddress of(String url) {
    try {
      URI parsed = URI.create(url);
      if (parsed.getHost() != null && parsed.getPort() > 0) {
        return new FlinkAddress(parsed.getHost(), parsed.getPort());
      }
    } catch (IllegalArgumentException noUrl) {
      // Told as the others.
    }
    throw new IllegalArgumentException("--flink must be http://HOST:PORT, not " + url);
  }

  /** Flink's client would wait for it, and say nothing. */
  void requireAnswer() throws IOException {
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(host, port), PATIENCE_MS);
    } catch (IOException e) {
      throw new IOException(
          "no Flink answers at http://"
              + host
              + ":"
              + port
              + " ("
              + e.getMessage()
              + "): ./flowstone cluster start --slots 2, or name one with --flink http://HOST:PORT",
          e);
    }
  }
}
