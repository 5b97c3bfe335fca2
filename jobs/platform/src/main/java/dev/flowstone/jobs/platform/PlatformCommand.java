// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.platform;

import dev.flowstone.jobs.entry.CommandLineJob;
import dev.flowstone.jobs.entry.JobStart;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** The job as it is asked for on a command line. */
@Command(
    name = PlatformCommand.NAME,
    mixinStandardHelpOptions = true,
    description =
        "Carries the packets of a tap's rings to Kafka: every one, or what a file of rules makes of"
            + " them: packets, samples, flow records, histograms, alerts, results of your own.",
    footer = {
      "",
      "Every packet:",
      "  ./flowstone job platform --rings /dev/shm/flowstone \\",
      "      --bootstrap-servers kafka:9092",
      "By rules, which may change while it runs:",
      "  ./flowstone job platform --rings /dev/shm/flowstone \\",
      "      --bootstrap-servers kafka:9092 --rules rules.yaml \\",
      "      --anonymise-key campus=campus.key --functions functions/"
    })
public final class PlatformCommand implements CommandLineJob {
  static final String NAME = "platform";

  @Mixin private PlatformOptions options;

  @Override
  public String name() {
    return options.name;
  }

  @Override
  public void check(JobStart start) throws InterruptedException {
    options.requireSense();
    PlatformJob.source(options).requireFreeReaderName();
    options.kafka.check(options.topics(options.rings.check(start)), start);
  }

  @Override
  public void build(StreamExecutionEnvironment environment) {
    PlatformJob.build(environment, options);
  }
}
