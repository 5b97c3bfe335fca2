// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.anomaly;

import dev.flowstone.jobs.entry.CommandLineJob;
import dev.flowstone.jobs.entry.JobStart;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** The job as it is asked for on a command line. */
@Command(
    name = AnomalyCommand.NAME,
    mixinStandardHelpOptions = true,
    description = "Tells of floods, amplification and scans in a tap's packets, as JSON in Kafka.",
    footer = {
      "",
      "Floods of more than 500 SYNs, and scans of more than 100 hosts, in 5 s:",
      "  ./flowstone job anomaly --rings /dev/shm/flowstone \\",
      "      --bootstrap-servers kafka:9092 --detect syn_flood=500,host_scan=100"
    })
public final class AnomalyCommand implements CommandLineJob {
  static final String NAME = "anomaly";

  @Mixin private AnomalyOptions options;

  @Override
  public String name() {
    return options.name;
  }

  @Override
  public void check(JobStart start) throws InterruptedException {
    options.requireSense();
    AnomalyJob.source(options).build().requireFreeReaderName();
    options.rings.check(start);
    options.kafka.check(options.topics(), start);
  }

  @Override
  public void build(StreamExecutionEnvironment environment) {
    AnomalyJob.build(environment, options);
  }
}
