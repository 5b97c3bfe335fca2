// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.plan;

import dev.flowstone.commandline.Allowed;
import dev.flowstone.commandline.ByteSizeConverter;
import dev.flowstone.commandline.CommandRunner;
import dev.flowstone.commandline.DurationConverter;
import dev.flowstone.commandline.RateConverter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code ./flowstone plan}: what a site needs. */
@Command(
    name = "plan",
    mixinStandardHelpOptions = true,
    description = {
      "What a site needs, reckoned from costs that were measured: cores, rings, memory, state, Kafka,"
          + " the time of a recovery; and what breaks first.",
      "Each server has a tap and a platform job of its own. docs/sizing.md has two sites worked out."
    },
    footer = {
      "",
      "  ./flowstone plan --rate 8M --flows 1M --checkpoint 10s --servers 100 --memory 128g",
      "  ./flowstone plan --link 10G --packet-bytes 800 --functions pass=10,aggregate=80,drop=10",
      "",
      "Exit status 1 if the site does not fit the machines."
    })
public final class PlanCommand implements Callable<Integer> {
  private static final int DOES_NOT_FIT = 1;

  /** Preamble, start, frame check sequence and gap of a frame on an Ethernet. */
  private static final int BYTES_AROUND_FRAME = 24;

  private static final double BITS_PER_BYTE = 8;
  private static final double PERCENT = 100;
  private static final double NS_PER_SECOND = 1e9;

  /** What a rounded share may lack. */
  private static final double NEAR = 1e-6;

  @Option(
      names = "--rate",
      paramLabel = "RATE",
      converter = RateConverter.class,
      description = "Packets per second that come to each server, such as 812k or 8M.")
  @Allowed(from = "1k", to = "1G")
  private Optional<Double> rate = Optional.empty();

  @Option(
      names = "--link",
      paramLabel = "BITS",
      converter = RateConverter.class,
      description =
          "Instead of --rate: bits per second on the wire to each server, such as 10G; with"
              + " --packet-bytes.")
  @Allowed(from = "1M", to = "10000G")
  private Optional<Double> link = Optional.empty();

  @Option(
      names = "--packet-bytes",
      paramLabel = "N",
      description = "With --link: the mean length of its frames.")
  @Allowed(from = "60", to = "65535", unit = "bytes")
  private Optional<Integer> packetBytes = Optional.empty();

  @Option(
      names = "--servers",
      paramLabel = "N",
      defaultValue = "1",
      description = "Servers that are alike. Default ${DEFAULT-VALUE}.")
  @Allowed(from = "1", to = "10000")
  private int servers;

  @Option(
      names = "--flows",
      paramLabel = "N",
      defaultValue = "1M",
      converter = RateConverter.class,
      description =
          "Flows of a server that have had a packet within the last 15 s, both directions counted."
              + " Default ${DEFAULT-VALUE}.")
  @Allowed(from = "1", to = "1G", whole = true)
  private double flows;

  @Option(
      names = "--functions",
      paramLabel = "NAME=PERCENT",
      split = ",",
      defaultValue = "pass=100",
      description =
          "Which part of the packets each function has: pass, sample, aggregate, histogram, anomaly,"
              + " user, drop; 100 in all. Default ${DEFAULT-VALUE}.")
  private Map<Function, Double> functions;

  @Option(
      names = "--rules",
      paramLabel = "N",
      description =
          "How many rules choose the function. Default: none where all packets pass, else 16.")
  @Allowed(from = "0", to = "10000")
  private Optional<Integer> rules = Optional.empty();

  @Option(
      names = "--one-in",
      paramLabel = "N",
      defaultValue = "100",
      converter = RateConverter.class,
      description = "With sample: one of how many goes on. Default ${DEFAULT-VALUE}.")
  @Allowed(from = "1", to = "1G", whole = true)
  private double oneIn;

  @Option(
      names = "--user-ns",
      paramLabel = "NS",
      description = "With user: processor time of your class for a packet; measure it.")
  @Allowed(from = "0", to = "1000000", unit = "ns")
  private Optional<Double> userNs = Optional.empty();

  @Option(
      names = "--checkpoint",
      paramLabel = "DURATION",
      defaultValue = "2s",
      converter = DurationConverter.class,
      description = "From one checkpoint to the next. Default ${DEFAULT-VALUE}.")
  private Duration checkpoint;

  @Option(
      names = "--restart",
      paramLabel = "DURATION",
      converter = DurationConverter.class,
      description =
          "From a failure of a job until it reads again. Default: as measured, restart.time of"
              + " docs/performance.md.")
  private Optional<Duration> restart = Optional.empty();

  @Option(
      names = "--delivery",
      paramLabel = "exactly-once|at-least-once",
      defaultValue = "exactly-once",
      description =
          "In transactions, which consumers see after a checkpoint, or at once and repeated after a"
              + " failure. Default ${DEFAULT-VALUE}.")
  private Operation.Delivery delivery;

  @Option(
      names = "--release",
      paramLabel = "on_checkpoint|on_read|observing",
      defaultValue = "on_checkpoint",
      description = "When the job gives ring space back. Default ${DEFAULT-VALUE}.")
  private Operation.Release release;

  @Option(
      names = "--busy",
      paramLabel = "PERCENT",
      defaultValue = "60",
      description =
          "How busy cores may be while nothing is wrong; the rest is for catching up after a restart,"
              + " and for peaks. Default ${DEFAULT-VALUE}.")
  @Allowed(from = "1", to = "95", unit = "percent")
  private double busyPercent;

  @Option(
      names = "--retention",
      paramLabel = "DURATION",
      defaultValue = "1d",
      converter = DurationConverter.class,
      description = "How long Kafka keeps messages. Default ${DEFAULT-VALUE}.")
  private Duration retention;

  @Option(
      names = "--replicas",
      paramLabel = "N",
      defaultValue = "3",
      description = "Of each message at Kafka. Default ${DEFAULT-VALUE}.")
  @Allowed(from = "1", to = "10")
  private int replicas;

  @Option(
      names = "--cores",
      paramLabel = "N",
      defaultValue = "16",
      description = "Cores of a server, and of a broker. Default ${DEFAULT-VALUE}.")
  @Allowed(from = "1", to = "1024")
  private int cores;

  @Option(
      names = "--memory",
      paramLabel = "SIZE",
      defaultValue = "64g",
      converter = ByteSizeConverter.class,
      description = "Memory of a server. Default ${DEFAULT-VALUE}.")
  @Allowed(from = "1g", to = "64t")
  private long memoryBytes;

  @Option(
      names = "--uplink",
      paramLabel = "BITS",
      defaultValue = "10G",
      converter = RateConverter.class,
      description =
          "Bits per second from a server to Kafka, and to a broker. Default ${DEFAULT-VALUE}.")
  @Allowed(from = "1M", to = "10000G")
  private double uplinkBits;

  @Option(
      names = "--disk-write",
      paramLabel = "RATE",
      defaultValue = "200M",
      converter = RateConverter.class,
      description =
          "Bytes per second that a disk takes for hours, of Kafka and for checkpoints. Default"
              + " ${DEFAULT-VALUE}.")
  @Allowed(from = "1M", to = "100G")
  private double diskWriteBytes;

  @Option(
      names = "--disk-size",
      paramLabel = "SIZE",
      defaultValue = "4t",
      converter = ByteSizeConverter.class,
      description = "Of one disk of Kafka. Default ${DEFAULT-VALUE}.")
  @Allowed(from = "1g", to = "1000t")
  private long diskBytes;

  @Option(
      names = "--speed",
      paramLabel = "TIMES",
      defaultValue = "1",
      description =
          "How many times as fast a core is as one of the machine that the costs were measured on:"
              + " what ./flowstone bench parse says there, divided by what docs/performance.md says."
              + " Default ${DEFAULT-VALUE}.")
  @Allowed(from = "0.05", to = "20")
  private double speed;

  @Option(names = "--json", description = "One line of JSON instead of a report.")
  private boolean json;

  @Override
  public Integer call() {
    CostTable costs = CostTable.read(Path.of(System.getProperty("flowstone.home", "")));
    Plan plan = Plan.of(site(costs), costs, speed);
    System.out.println(json ? JsonReport.of(plan) : TextReport.of(plan).stripTrailing());
    return plan.fits() ? 0 : DOES_NOT_FIT;
  }

  private Site site(CostTable costs) {
    Traffic traffic =
        new Traffic(packetsPerSecond(), flows, shares(), rules(), oneIn, userNs.orElse(0.0));
    double restartSeconds =
        restart
            .map(time -> seconds("--restart", time, Duration.ZERO))
            .orElseGet(() -> costs.of(Cost.RESTART_TIME));
    Operation operation =
        new Operation(
            seconds("--checkpoint", checkpoint, Duration.ofMillis(10)),
            restartSeconds,
            delivery,
            release,
            busyPercent / PERCENT,
            seconds("--retention", retention, Duration.ofSeconds(1)),
            replicas);
    return new Site(
        servers,
        traffic,
        operation,
        new Machine(cores, memoryBytes, uplinkBits, diskWriteBytes, diskBytes));
  }

  private double packetsPerSecond() {
    if (rate.isPresent() == link.isPresent()) {
      throw new IllegalArgumentException(
          "how many packets come? Give --rate 8M, or --link 10G with --packet-bytes 800");
    }
    if (link.isPresent() != packetBytes.isPresent()) {
      throw new IllegalArgumentException(
          "--link and --packet-bytes belong together: --link 10G --packet-bytes 800");
    }
    return rate.orElseGet(
        () ->
            link.orElseThrow() / BITS_PER_BYTE / (packetBytes.orElseThrow() + BYTES_AROUND_FRAME));
  }

  private Map<Function, Double> shares() {
    Map<Function, Double> shares = new EnumMap<>(Function.class);
    functions.forEach((function, percent) -> shares.put(function, percent / PERCENT));
    double sum = functions.values().stream().mapToDouble(Double::doubleValue).sum();
    if (functions.values().stream().anyMatch(percent -> !(percent >= 0))
        || !(Math.abs(sum - PERCENT) <= NEAR)) {
      throw new IllegalArgumentException(
          "--functions must be percents from 0 on that are 100 in all: " + functions);
    }
    if (functions.getOrDefault(Function.USER, 0.0) > 0 && userNs.isEmpty()) {
      throw new IllegalArgumentException(
          "nobody knows what your class takes for a packet: measure it and say --user-ns");
    }
    return shares;
  }

  private int rules() {
    boolean allPass = functions.getOrDefault(Function.PASS, 0.0) == PERCENT;
    if (!allPass && rules.filter(count -> count == 0).isPresent()) {
      throw new IllegalArgumentException(
          "--rules 0: without a rule all packets pass; see --functions");
    }
    return rules.orElse(allPass ? 0 : 16);
  }

  private static double seconds(String option, Duration time, Duration least) {
    double seconds = time.toNanos() / NS_PER_SECOND;
    double leastSeconds = least.toNanos() / NS_PER_SECOND;
    if (seconds < leastSeconds) {
      throw new IllegalArgumentException(
          option
              + " must be "
              + Unit.SECONDS.of(leastSeconds)
              + " or more: "
              + Unit.SECONDS.of(seconds));
    }
    return seconds;
  }

  public static void main(String[] arguments) {
    System.exit(CommandRunner.run(new PlanCommand(), arguments));
  }
}
