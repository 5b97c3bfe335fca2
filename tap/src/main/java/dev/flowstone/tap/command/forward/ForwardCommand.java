// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.command.forward;

import dev.flowstone.commandline.Allowed;
import dev.flowstone.commandline.ByteSizeConverter;
import dev.flowstone.commandline.EscapedText;
import dev.flowstone.commandline.OutputFile;
import dev.flowstone.commandline.RateConverter;
import dev.flowstone.offheap.ring.ReaderName;
import dev.flowstone.offheap.ring.RingDirectory;
import dev.flowstone.tap.SocketAddresses;
import dev.flowstone.tap.command.run.RunEnd;
import dev.flowstone.tap.command.run.RunOptions;
import dev.flowstone.tap.command.run.TerminalLine;
import dev.flowstone.tap.forward.DatagramSize;
import dev.flowstone.tap.forward.ForwardOptions;
import dev.flowstone.tap.forward.Forwarder;
import dev.flowstone.tap.forward.UdpOutput;
import dev.flowstone.tap.metrics.MetricsServer;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code ./flowstone tap forward}. */
@Command(
    name = "forward",
    mixinStandardHelpOptions = true,
    description = "Sends the packets of a tap's rings by UDP to tap receive on another host.")
public final class ForwardCommand implements Runnable {
  /** A receiver makes its rings in that time, be they of some gigabytes. */
  private static final long HELLO_NS = TimeUnit.SECONDS.toNanos(2);

  @Mixin private RunOptions run;

  @Option(
      names = "--rings",
      paramLabel = "DIR",
      defaultValue = "/dev/shm/flowstone",
      description = "Folder of the ring files; default ${DEFAULT-VALUE}.")
  private Path rings;

  @Option(
      names = "--to",
      paramLabel = "HOST:PORT",
      required = true,
      converter = HostAndPort.class,
      description = "Where tap receive listens, such as 192.0.2.7:9401.")
  private InetSocketAddress to;

  @Option(
      names = "--reader-name",
      paramLabel = "NAME",
      defaultValue = "forward",
      description =
          "Name by which it finds its place in the rings when it is started again; two that read the same rings"
              + " need two. Default ${DEFAULT-VALUE}.")
  private String readerName;

  @Option(
      names = "--observing",
      description =
          "The tap never waits for it: what it is too slow for is lost, and told. Without it the rings hold what it has not sent.")
  private boolean observing;

  @Option(
      names = "--bounded",
      description =
          "Ends when the tap says that nothing more will come, and the receiver with it; else it goes on with the rings of the next tap.")
  private boolean bounded;

  @Option(
      names = "--mtu",
      paramLabel = "BYTES",
      description =
          "Longest IP packet that the path carries in one piece; 1500 where there are no jumbo frames. Default "
              + DatagramSize.JUMBO_MTU
              + ".")
  @Allowed(from = "" + DatagramSize.LEAST_MTU, to = "" + DatagramSize.MOST_MTU, unit = "bytes")
  private int mtu = DatagramSize.JUMBO_MTU;

  @Option(
      names = "--rate",
      paramLabel = "PACKETS",
      converter = RateConverter.class,
      description =
          "Packets per second that it sends at most, such as 812k or 1.4M. Default: half as many again as the tap"
              + " is offered, and 500,000, so that what a pause left in the rings does not leave at once.")
  @Allowed(from = "1", to = "1g", unit = "packets per second")
  private Optional<Double> rate = Optional.empty();

  @Option(
      names = KeyFile.OPTION,
      paramLabel = "FILE",
      description =
          "File whose first line is a key that tap receive has, too, at least 16 bytes; openssl rand -hex 32"
              + " prints one. Each datagram carries a tag of the key. Default: no key, no tag.")
  private Optional<Path> keyFile = Optional.empty();

  @Option(
      names = "--socket-bytes",
      paramLabel = "SIZE",
      defaultValue = "4m",
      converter = ByteSizeConverter.class,
      description =
          "What the kernel may keep of what it cannot send at once; it may give less. Default ${DEFAULT-VALUE}.")
  @Allowed(from = "64k", to = "1g")
  private long socketBytes;

  @Override
  public void run() {
    run.report.ifPresent(OutputFile::requireWritable);
    ForwardOptions options =
        new ForwardOptions(
            new RingDirectory(rings),
            ReaderName.of(readerName),
            observing,
            bounded,
            KeyFile.read(keyFile));
    DatagramSize size = DatagramSize.of(mtu, to.getAddress());
    try (UdpOutput output =
            UdpOutput.open(
                to,
                options.key().isPresent() ? size.withTag() : size,
                (int) socketBytes,
                ForwardCommand::warn);
        MetricsServer server = run.bindMetrics();
        Forwarder forwarder =
            Forwarder.open(
                options,
                output.size().records(),
                output,
                rate.map(OptionalDouble::of).orElseGet(OptionalDouble::empty),
                HELLO_NS)) {
      sayBegin(output);
      send(new RunningSender(SocketAddresses.text(to), readerName, output, forwarder), server);
    }
  }

  private void send(RunningSender running, MetricsServer server) {
    RunEnd end = RunEnd.listen(run, running.forwarder()::stop);
    try (TerminalLine display = new TerminalLine(seconds -> running.report(false).line(seconds));
        MetricsServer _ = MetricsServer.serve(server, running::metrics)) {
      end.answer(() -> running.report(false).json());
      end.stopAfterLimit();
      display.start();
      running.forwarder().run();
    } finally {
      try {
        finish(running.report(true));
      } finally {
        end.close();
      }
    }
  }

  private void sayBegin(UdpOutput output) {
    System.err.println(
        EscapedText.of(
            "forward %s -> %s as reader %s: datagrams of up to %d packets (%,d bytes), socket buffer %,d KiB"
                .formatted(
                    rings,
                    SocketAddresses.text(to),
                    readerName,
                    output.size().records(),
                    output.size().bytes(),
                    output.bufferBytes() >> 10)));
  }

  private static void warn(String line) {
    System.err.println("warning: " + EscapedText.of(line));
  }

  private void finish(ForwardReport report) {
    report.finish(run.report);
    if (run.countersOnRequest) {
      System.out.print(report.json());
    }
  }
}
