// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.reference;

import dev.flowstone.processes.ChildOutput;
import dev.flowstone.processes.ChildProcess;
import dev.flowstone.processes.JavaProgram;
import dev.flowstone.processes.LoopbackPorts;
import dev.flowstone.tap.command.TapCommand;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A command of {@code ./flowstone tap}, as a process, which serves its metrics. */
final class RunningTap implements AutoCloseable {
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final long POLL_MS = 50;

  private final ChildProcess process;
  private final URI metrics;

  private RunningTap(ChildProcess process, URI metrics) {
    this.process = process;
    this.metrics = metrics;
  }

  /** With made-up traffic; returns when its rings are there. */
  static RunningTap start(Project project, Path folder, Path rings) throws Exception {
    return start(
        project,
        folder,
        "synthetic",
        "--rate",
        "2k",
        "--flows",
        "100",
        "--start",
        "now",
        "--rings",
        rings.toString(),
        "--ring-count",
        "1",
        "--ring-bytes",
        "4m");
  }

  /** Sends the packets of rings to a port of this host. */
  static RunningTap sender(Project project, Path folder, Path rings, int port) throws Exception {
    return start(
        project, folder, "forward", "--rings", rings.toString(), "--to", "127.0.0.1:" + port);
  }

  /** Receives what is sent to a port of this host. */
  static RunningTap receiver(Project project, Path folder, Path rings, int port) throws Exception {
    return start(
        project,
        folder,
        "receive",
        "--rings",
        rings.toString(),
        "--listen",
        "127.0.0.1:" + port,
        "--ring-bytes",
        "4m");
  }

  /** Takes packets from an emulated card, which has everything to tell of: no cable, that is. */
  static RunningTap card(Project project, Path folder, Path rings) throws Exception {
    return start(
        project,
        folder,
        "card",
        "--device",
        "emulated",
        "--emulated",
        "design=u280_pcapsrc",
        "--feed",
        project.root().resolve("traffic/captures/web-http.pcap").toString(),
        "--loop",
        "0",
        "--gap",
        "150000",
        "--ring-count",
        "1",
        "--rings",
        rings.toString(),
        "--ring-bytes",
        "1m");
  }

  /** Returns when it serves its metrics. */
  private static RunningTap start(Project project, Path folder, String... command)
      throws Exception {
    int port = LoopbackPorts.claimFree();
    List<String> arguments = new ArrayList<>(List.of(command));
    arguments.addAll(List.of("--metrics", "" + port));
    ChildProcess process =
        ChildProcess.start(
            JavaProgram.of(command[0], TapCommand.class.getName(), arguments)
                .withJvmOptions(
                    "@" + project.root().resolve("build-support/jvm.options"),
                    // Where emulated cards are, once ./flowstone has built them.
                    "-Dflowstone.home=" + project.root(),
                    "-Xmx128m",
                    "-XX:+UseSerialGC"),
            ChildOutput.gatheredIn(folder));
    RunningTap tap = new RunningTap(process, URI.create("http://127.0.0.1:" + port + "/metrics"));
    try {
      tap.metrics();
      return tap;
    } catch (Exception e) {
      tap.close();
      throw e;
    }
  }

  /** As Prometheus gets them. */
  String metrics() throws Exception {
    HttpRequest request = HttpRequest.newBuilder(metrics).build();
    long deadlineNs = System.nanoTime() + LIMIT.toNanos();
    try (HttpClient client = HttpClient.newHttpClient()) {
      while (true) {
        process.requireRunning();
        try {
          return client.send(request, BodyHandlers.ofString()).body();
        } catch (ConnectException notYet) {
          if (System.nanoTime() - deadlineNs > 0) {
            throw new IOException("no tap answers at " + metrics, notYet);
          }
          Thread.sleep(POLL_MS);
        }
      }
    }
  }

  @Override
  public void close() {
    process.close();
  }
}
