// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.command.source;

import dev.flowstone.commandline.Allowed;
import dev.flowstone.commandline.EscapedText;
import dev.flowstone.offheap.ring.WhenFull;
import dev.flowstone.tap.Pacer;
import dev.flowstone.tap.command.run.RunOptions;
import dev.flowstone.tap.live.CaptureFilter;
import dev.flowstone.tap.live.LiveOptions;
import dev.flowstone.tap.live.LiveSource;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalDouble;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code ./flowstone tap live}. */
@Command(
    name = "live",
    mixinStandardHelpOptions = true,
    description = "Fills rings from a network interface (AF_PACKET; needs CAP_NET_RAW).")
public final class LiveCommand implements Runnable {
  @Mixin private RingOptions rings;
  @Mixin private RunOptions run;

  @Parameters(paramLabel = "IFACE", description = "Interface, such as eth0.")
  private String interfaceName;

  @Option(
      names = "--blocks",
      paramLabel = "MIB",
      description =
          "MiB that the kernel may fill while the tap is busy: more survive a longer pause. Default ${DEFAULT-VALUE}.")
  @Allowed(from = "2", to = "" + LiveOptions.MAX_BLOCKS, unit = "MiB")
  private int blocks = LiveOptions.DEFAULT_BLOCKS;

  @Option(names = "--promiscuous", description = "Captures frames that are for others, too.")
  private boolean promiscuous;

  @Option(
      names = "--wait-for-interface",
      description =
          "Waits for an interface that is not there, or goes away; without it that is an error.")
  private boolean waitForInterface;

  @Option(
      names = "--timestamps",
      paramLabel = "software|hardware",
      defaultValue = "software",
      description =
          "hardware: the card's own times, where it stamps every packet; its clock is UTC only if"
              + " a program such as ptp4l sets it. After a packet without a stamp, packets are untimed until 256 in a"
              + " row are stamped. Default ${DEFAULT-VALUE}: the kernel's.")
  private LiveOptions.Timestamps timestamps;

  @Option(
      names = "--filter",
      paramLabel = "WORDS",
      description =
          "Captures only what these words of pcap-filter say, such as 'tcp port 443': the kernel passes"
              + " over the rest, which is not counted as dropped. Needs libpcap.")
  private Optional<String> filter = Optional.empty();

  @Option(
      names = "--filter-program",
      paramLabel = "FILE",
      description = "The same as tcpdump -i IFACE -ddd prints it; also for filters with vlan.")
  private Optional<Path> filterProgram = Optional.empty();

  @Option(
      names = "--threads",
      paramLabel = "N",
      defaultValue = "1",
      description =
          "Threads that capture and parse, for an interface that is too fast for one: the kernel gives each"
              + " its share of the flows. Each has --blocks of its own. Default ${DEFAULT-VALUE}.")
  @Allowed(from = "1", to = "64")
  private int threads;

  @Override
  public void run() {
    LiveOptions options =
        LiveOptions.of(interfaceName)
            .withBuffer(blocks, LiveOptions.DEFAULT_RETIRE)
            .withPromiscuous(promiscuous)
            .withWaitForInterface(waitForInterface)
            .withTimestamps(timestamps)
            .withFilter(filter());
    new TapRun(rings, run)
        .run(
            LiveSource.openShared(options, threads, LiveCommand::warn),
            "live " + interfaceName,
            Pacer.unpaced(),
            OptionalDouble.empty(),
            WhenFull.DROP);
  }

  private static void warn(String line) {
    System.err.println("warning: " + EscapedText.of(line));
  }

  private Optional<CaptureFilter> filter() {
    if (filter.isPresent() && filterProgram.isPresent()) {
      throw new IllegalArgumentException("--filter and --filter-program exclude each other");
    }
    return filter.map(CaptureFilter::of).or(() -> filterProgram.map(CaptureFilter::of));
  }
}
