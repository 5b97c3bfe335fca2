// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.command;

import dev.flowstone.commandline.EscapedText;
import dev.flowstone.offheap.ring.WhenFull;
import dev.flowstone.tap.Pacer;
import dev.flowstone.tap.live.LiveOptions;
import dev.flowstone.tap.live.LiveSource;
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
final class LiveCommand implements Runnable {
  @Mixin private RingOptions rings;
  @Mixin private RunOptions run;

  @Parameters(paramLabel = "IFACE", description = "Interface, such as eth0.")
  private String interfaceName;

  @Option(
      names = "--blocks",
      paramLabel = "MIB",
      description =
          "MiB that the kernel may fill while the tap is busy: more survive a longer pause. Default ${DEFAULT-VALUE}.")
  private int blocks = LiveOptions.DEFAULT_BLOCKS;

  @Option(names = "--promiscuous", description = "Also frames that are for others.")
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
              + " somebody sets it. Default ${DEFAULT-VALUE}: the kernel's.")
  private LiveOptions.Timestamps timestamps;

  @Override
  public void run() {
    LiveOptions options =
        LiveOptions.of(interfaceName)
            .withBuffer(blocks, LiveOptions.DEFAULT_RETIRE)
            .withPromiscuous(promiscuous)
            .withWaitForInterface(waitForInterface)
            .withTimestamps(timestamps);
    new TapRun(rings, run)
        .run(
            new LiveSource(options, line -> System.err.println("warning: " + EscapedText.of(line))),
            "live " + interfaceName,
            Pacer.unpaced(),
            OptionalDouble.empty(),
            WhenFull.DROP);
  }
}
