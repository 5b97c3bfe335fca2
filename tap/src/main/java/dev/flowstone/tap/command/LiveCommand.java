// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.command;

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

  @Override
  public void run() {
    LiveOptions options =
        new LiveOptions(interfaceName, blocks, LiveOptions.DEFAULT_RETIRE, promiscuous);
    new TapRun(rings, run)
        .run(
            new LiveSource(options),
            "live " + interfaceName,
            Pacer.unpaced(),
            OptionalDouble.empty(),
            WhenFull.DROP);
  }
}
