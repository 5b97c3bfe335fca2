// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.command.forward;

import dev.flowstone.commandline.Allowed;
import dev.flowstone.commandline.ByteSizeConverter;
import dev.flowstone.commandline.DurationConverter;
import dev.flowstone.commandline.EscapedText;
import dev.flowstone.commandline.OutputFile;
import dev.flowstone.model.abi.RingFileHeaderLayout;
import dev.flowstone.tap.SocketAddresses;
import dev.flowstone.tap.command.run.FilledRings;
import dev.flowstone.tap.command.run.RingFileOptions;
import dev.flowstone.tap.command.run.RunEnd;
import dev.flowstone.tap.command.run.RunOptions;
import dev.flowstone.tap.command.run.TerminalLine;
import dev.flowstone.tap.metrics.MetricsServer;
import dev.flowstone.tap.receive.AddressRange;
import dev.flowstone.tap.receive.ReceiveOptions;
import dev.flowstone.tap.receive.Receiver;
import dev.flowstone.tap.receive.Reception;
import dev.flowstone.tap.receive.UdpInput;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code ./flowstone tap receive}. */
@Command(
    name = "receive",
    mixinStandardHelpOptions = true,
    description =
        "Fills rings with what tap forward sends from another host: as many as there, with the same keys.")
public final class ReceiveCommand implements Runnable {
  @Mixin private RingFileOptions rings;
  @Mixin private RunOptions run;

  @Option(
      names = "--listen",
      paramLabel = "HOST:PORT",
      required = true,
      converter = HostAndPort.class,
      description = "Where to listen, such as 0.0.0.0:9401.")
  private InetSocketAddress listen;

  @Option(
      names = "--from",
      paramLabel = "HOST",
      converter = AddressRangeConverter.class,
      description =
          "A host, or a prefix such as 192.0.2.0/24, that may send; may be repeated. Default: any, but one at a"
              + " time.")
  private List<AddressRange> from = new ArrayList<>();

  @Option(
      names = KeyFile.OPTION,
      paramLabel = "FILE",
      description =
          "File whose first line is the key of tap forward, at least 16 bytes; openssl rand -hex 32 prints one."
              + " Datagrams without a valid tag are rejected. Default: no key.")
  private Optional<Path> keyFile = Optional.empty();

  @Option(
      names = "--max-rings",
      paramLabel = "N",
      description =
          "Maximum number of rings, whatever a sender asks for. Ring files take at most N x --ring-bytes, and"
              + " twice that while rings are replaced. Default "
              + ReceiveOptions.DEFAULT_MAX_RINGS
              + ".")
  @Allowed(from = "1", to = "" + RingFileHeaderLayout.MAX_RINGS, unit = "rings")
  private int maxRings = ReceiveOptions.DEFAULT_MAX_RINGS;

  @Option(
      names = "--reorder",
      paramLabel = "N",
      description =
          "Datagrams of a ring among which the network may change the order. Default "
              + ReceiveOptions.USUAL_REORDER
              + ".")
  @Allowed(from = "1", to = "" + ReceiveOptions.MOST_REORDER, unit = "datagrams")
  private int reorder = ReceiveOptions.USUAL_REORDER;

  @Option(
      names = "--reorder-wait",
      paramLabel = "DURATION",
      defaultValue = "50 ms",
      converter = DurationConverter.class,
      description =
          "How long a datagram waits for those before it, which then count as lost. Default"
              + " ${DEFAULT-VALUE}.")
  @Allowed(from = "0s", to = "10s")
  private Duration reorderWait;

  @Option(
      names = "--socket-bytes",
      paramLabel = "SIZE",
      defaultValue = "16m",
      converter = ByteSizeConverter.class,
      description =
          "What the kernel may keep while the receiver is busy: more survives a longer pause. It gives no more"
              + " than net.core.rmem_max. Default ${DEFAULT-VALUE}.")
  @Allowed(from = "64k", to = "1g")
  private long socketBytes;

  @Override
  public void run() {
    run.report.ifPresent(OutputFile::requireWritable);
    ReceiveOptions options =
        new ReceiveOptions(reorder, reorderWait, maxRings, KeyFile.read(keyFile));
    FilledRings filled = new FilledRings(rings, "receive " + SocketAddresses.text(listen));
    try (UdpInput input = UdpInput.open(listen, (int) socketBytes);
        MetricsServer server = run.bindMetrics();
        Reception reception = new Reception(filled, options, ReceiveCommand::say, filled::watch)) {
      Receiver receiver = new Receiver(input, reception, from);
      filled.stopWhenGone(receiver::stop);
      sayBegin(input);
      receive(new RunningReceiver(input, reception, receiver, filled), server);
    }
  }

  private void receive(RunningReceiver running, MetricsServer server) {
    RunEnd end = RunEnd.listen(run, running.receiver()::stop);
    try (FilledRings filled = running.rings();
        TerminalLine display = new TerminalLine(seconds -> running.report(false).line(seconds));
        MetricsServer _ = MetricsServer.serve(server, running::metrics)) {
      end.answer(() -> running.report(false).json());
      end.stopAfterLimit();
      display.start();
      running.receiver().run();
      filled.requireAll();
    } finally {
      try {
        finish(running.report(true));
      } finally {
        end.close();
      }
    }
  }

  private void sayBegin(UdpInput input) {
    int givenBytes = input.bufferBytes();
    say(
        "receive %s -> %s: socket buffer %,d KiB; waits for a sender"
            .formatted(
                SocketAddresses.text(input.address()), rings.directory().path(), givenBytes >> 10));
    if (givenBytes < socketBytes) {
      say(
          "warning: the kernel gives the socket %,d KiB of the %,d KiB asked for, and a short pause loses packets: sysctl net.core.rmem_max=%d lets it give more"
              .formatted(givenBytes >> 10, socketBytes >> 10, socketBytes));
    }
  }

  private static void say(String line) {
    System.err.println(EscapedText.of(line));
  }

  private void finish(ReceiveReport report) {
    report.finish(run.report);
    if (run.countersOnRequest) {
      System.out.print(report.json());
    }
  }
}
