// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.command.source;

import dev.flowstone.commandline.OutputFile;
import dev.flowstone.tap.command.run.RunOptions;
import dev.flowstone.traffic.synthetic.SyntheticOptions;
import dev.flowstone.traffic.synthetic.SyntheticSource;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code ./flowstone tap synthetic}. */
@Command(
    name = "synthetic",
    mixinStandardHelpOptions = true,
    description = "Fills rings with made-up traffic whose right answers are known.")
public final class SyntheticCommand implements Callable<Integer> {
  @Mixin private RingOptions rings;
  @Mixin private RunOptions run;
  @Mixin private SyntheticTraffic traffic;

  @Override
  public Integer call() {
    traffic.truth.ifPresent(OutputFile::requireWritable);
    SyntheticOptions options = traffic.options();
    traffic.made.run(
        new TapRun(rings, run),
        new SyntheticSource(options),
        "synthetic " + traffic.preset + " seed " + options.seed(),
        options.packetsPerSecond());
    return 0;
  }
}
