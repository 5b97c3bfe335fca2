// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.questdb.process;

import dev.flowstone.processes.LoopbackPorts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * QuestDB's configuration for one machine: HTTP and, for SQL clients, PostgreSQL's protocol on
 * loopback and nothing else, a laptop's threads, no telemetry, errors alone on standard output.
 * Written anew at each start.
 */
record QuestDbConfiguration(int port, int sqlPort) {
  private static final String LOG =
      """
      writers=stdout
      w.stdout.class=io.questdb.log.LogConsoleWriter
      w.stdout.level=CRITICAL,ERROR
      """;

  /** Below QuestDB's own folder, where it looks for these names. */
  void writeTo(Path directory) throws IOException {
    Path folder = Files.createDirectories(directory.resolve("conf"));
    Files.writeString(
        folder.resolve("server.conf"),
        """
        http.net.bind.to=%s:%d
        http.min.enabled=false
        pg.net.bind.to=%s:%d
        pg.worker.count=0
        line.tcp.enabled=false
        telemetry.enabled=false
        shared.worker.count=1
        cairo.o3.column.memory.size=1M
        cairo.writer.data.append.page.size=1M
        cairo.wal.writer.data.append.page.size=256K
        """
            .formatted(LoopbackPorts.HOST, port, LoopbackPorts.HOST, sqlPort));
    Files.writeString(folder.resolve("log.conf"), LOG);
  }
}
