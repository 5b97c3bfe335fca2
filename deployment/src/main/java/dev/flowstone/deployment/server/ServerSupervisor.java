// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.deployment.server;

import dev.flowstone.offheap.FileLock;
import dev.flowstone.offheap.Reason;
import dev.flowstone.processes.ServerProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Runs a server until SIGTERM, or until the server ends. The server ends with its supervisor, also
 * if the supervisor is killed. Arguments: the name of the server, its folder and its ports.
 */
final class ServerSupervisor {
  private static final int FAILED = 1;
  private static final int FIRST_PORT = 2;

  private final LocalServer local;
  private volatile boolean stopping;

  private ServerSupervisor(LocalServer local) {
    this.local = local;
  }

  private void run(List<Integer> ports) throws IOException, InterruptedException {
    Optional<FileLock> lock = local.supervision().take();
    if (lock.isEmpty()) {
      throw new IOException(local.folder() + ": another supervisor is active");
    }
    ServerProcess process = local.server().start(local.folder(), ports);
    Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(process), "stop-server"));
    local.announce(ports);
    process.handle().onExit().join();
    if (!stopping) {
      process.requireRunning();
    }
  }

  private void stop(ServerProcess process) {
    stopping = true;
    process.close();
    local.supervision().forget();
  }

  public static void main(String[] arguments) throws InterruptedException {
    Server server = Server.valueOf(arguments[0]);
    List<Integer> ports = Arrays.stream(arguments).skip(FIRST_PORT).map(Integer::valueOf).toList();
    try {
      new ServerSupervisor(new LocalServer(server, Path.of(arguments[1]))).run(ports);
    } catch (IOException | RuntimeException e) {
      System.out.println(Reason.of(e));
      System.exit(FAILED);
    }
  }
}
