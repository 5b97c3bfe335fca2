// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.deployment.server;

import dev.flowstone.deployment.StateFolder;
import dev.flowstone.deployment.Supervision;
import dev.flowstone.offheap.FileLock;
import dev.flowstone.processes.ChildProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * A server of this user's that outlives the command that starts it.
 *
 * @param folder its data and logs
 */
record LocalServer(Server server, Path folder) {
  /** Longer than the supervisor takes to stop the server, or to kill it. */
  private static final Duration STOP_LIMIT = ChildProcess.KILL_LIMIT.multipliedBy(2);

  private static final long MIN_FREE_BYTES = 64 << 20;
  private static final long POLL_INTERVAL_MS = 50;

  static LocalServer in(StateFolder state, Server server) {
    return new LocalServer(server, state.path().resolve(server.word()));
  }

  Supervision supervision() {
    return new Supervision(folder, folder.resolve("supervisor.log"), ServerSupervisor.class);
  }

  /**
   * Starts the server, unless it is running, and returns when it answers.
   *
   * @return whether the server was running before
   */
  boolean start(List<PortOption> options) throws IOException, InterruptedException {
    StateFolder.make(folder);
    try (FileLock _ = supervision().takeTurnToStart().orElseThrow(this::startInProgress)) {
      boolean wasRunning = supervision().isActive();
      if (wasRunning) {
        awaitReady(supervision()::isActive);
        requireSamePorts(options);
      } else {
        awaitReady(startSupervisor(options)::isAlive);
      }
      return wasRunning;
    }
  }

  private IOException startInProgress() {
    return new IOException(
        "./flowstone " + server.word() + " start is in progress; wait until it has ended");
  }

  private Process startSupervisor(List<PortOption> options) throws IOException {
    List<String> arguments = new ArrayList<>(List.of(server.name(), folder.toString()));
    for (PortOption option : options) {
      arguments.add(Integer.toString(option.requireFree()));
    }
    StateFolder.requireSpace(folder, MIN_FREE_BYTES, "the data and logs of " + server);
    Files.deleteIfExists(portsFile());
    return supervision().start(List.of(), arguments);
  }

  private void awaitReady(BooleanSupplier isAlive) throws IOException, InterruptedException {
    while (!isReady()) {
      if (!isAlive.getAsBoolean() && !isReady()) {
        throw new IOException(server + " cannot start: " + supervision().lastWords());
      }
      Thread.sleep(POLL_INTERVAL_MS);
    }
  }

  private void requireSamePorts(List<PortOption> options) throws IOException {
    List<Integer> ports = ports();
    for (int i = 0; i < options.size(); i++) {
      if (!options.get(i).accepts(ports.get(i))) {
        throw new IOException(
            "%s %d: %s is already running with port %d; run ./flowstone %s stop first"
                .formatted(
                    options.get(i).name(),
                    options.get(i).chosen().orElseThrow(),
                    server,
                    ports.get(i),
                    server.word()));
      }
    }
  }

  /**
   * Stops the server and returns when it has ended; false: it was not running.
   *
   * @throws IOException if a start is in progress
   */
  boolean stop() throws IOException, InterruptedException {
    if (!supervision().isActive()) {
      return false;
    }
    // A supervisor that still starts the server could end before the server does.
    try (FileLock _ = supervision().takeTurnToStart().orElseThrow(this::startInProgress)) {
      supervision().stop(STOP_LIMIT);
    }
    return true;
  }

  /** Only meaningful while its supervisor is active. */
  boolean isReady() {
    return Files.exists(portsFile());
  }

  List<Integer> ports() throws IOException {
    return Files.readAllLines(portsFile()).stream().map(Integer::valueOf).toList();
  }

  /** Called by the supervisor. The file appears with its content: a start polls for it. */
  void announce(List<Integer> ports) throws IOException {
    Path unfinished = folder.resolve("ports.new");
    Files.write(unfinished, ports.stream().map(String::valueOf).toList());
    Files.move(unfinished, portsFile(), StandardCopyOption.ATOMIC_MOVE);
  }

  private Path portsFile() {
    return folder.resolve("ports");
  }

  /** Returns lines about a server that is ready. */
  List<String> describe() throws IOException {
    List<String> lines = new ArrayList<>();
    server.addresses(ports()).forEach(address -> lines.add("  " + address));
    supervision().process().ifPresent(process -> lines.add("  process  " + process.pid()));
    lines.add("  data     " + folder);
    lines.add("  log      " + server.log(folder));
    return lines;
  }
}
