// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.plan;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine.Command;

class PlanCommandTest {
  private static JsonNode json(String options) throws Exception {
    RunPlan run = RunPlan.of(options + " --json");
    assertThat(run.errors()).isEmpty();
    return new ObjectMapper().readTree(run.output());
  }

  private static double needed(String options, String group, String name) throws Exception {
    return json(options).at("/needs/" + group + "/" + name + "/one_server").asDouble();
  }

  @Test
  void shouldSayWhatASiteNeeds() {
    RunPlan run = RunPlan.of("--rate 8M --flows 1M --checkpoint 10s --servers 100 --memory 128g");
    assertThat(run.status()).isZero();
    assertThat(run.output())
        .startsWith("100 servers, each with 8,000,000 packets/s of 1 M flows: pass 100 %")
        .contains("\nrings ", "\nKafka ", "\nwhat breaks first ", "--partitions 100 ")
        .contains("Costs were measured on ")
        .doesNotContain("DOES NOT FIT");
  }

  /** What its help tells people to try. */
  @Test
  void shouldHaveExamplesThatFit() {
    String command = "./flowstone plan ";
    List<String> examples =
        Stream.of(PlanCommand.class.getAnnotation(Command.class).footer())
            .map(String::strip)
            .filter(line -> line.startsWith(command))
            .toList();
    assertThat(examples)
        .hasSize(2)
        .allSatisfy(
            example -> {
              RunPlan run = RunPlan.of(example.substring(command.length()));
              assertThat(run.status()).as(run.output() + run.errors()).isZero();
            });
  }

  @Test
  void shouldSayWhatDoesNotFitAndWhatToDo() {
    RunPlan run = RunPlan.of("--rate 8M --cores 1");
    assertThat(run.status()).isEqualTo(1);
    assertThat(run.output())
        .contains("DOES NOT FIT, cores of a server: sample, aggregate or drop a part")
        .doesNotContain("./flowstone tap");
  }

  @Test
  void shouldTakeTheRestartThatWasMeasured() throws Exception {
    double measured = CostTable.read(Pages.ROOT).of(Cost.RESTART_TIME);
    assertThat(needed("--rate 1M", "recovery", "reads_again_after")).isEqualTo(measured);
    assertThat(needed("--rate 1M --restart 1min", "recovery", "reads_again_after")).isEqualTo(60);
  }

  @Test
  void shouldReckonTheRateOfALink() throws Exception {
    // (1000 + 24) x 8 bits a frame
    assertThat(json("--link 8192M --packet-bytes 1000").get("packets_per_second").asDouble())
        .isEqualTo(1e6);
  }

  @Test
  void shouldTakeEachOptionWhereItBelongs() throws Exception {
    assertThat(json("--rate 1M --servers 7").get("servers").asInt()).isEqualTo(7);
    assertThat(json("--rate 1M --flows 5k").get("flows").asInt()).isEqualTo(5_000);
    assertThat(needed("--rate 1M --speed 2", "cores", "tap"))
        .isEqualTo(needed("--rate 1M", "cores", "tap") / 2);
    assertThat(needed("--rate 1M --rules 16", "cores", "job_16_rules")).isPositive();
    assertThat(needed("--rate 1M --functions aggregate=100", "cores", "job_16_rules")).isPositive();
    assertThat(json("--rate 1M").at("/needs/cores/job_16_rules").isMissingNode()).isTrue();
    assertThat(needed("--rate 1M --functions user=100 --user-ns 80", "cores", "job_user"))
        .isEqualTo(0.08);
    assertThat(needed("--rate 1M --functions sample=100 --one-in 1k", "kafka", "samples"))
        .isEqualTo(35_000);
    assertThat(needed("--rate 1M --release on_read --restart 20s", "rings", "hold_for"))
        .isEqualTo(20);
    assertThat(needed("--rate 1M --delivery at-least-once", "kafka", "seen_after")).isEqualTo(0.05);
    assertThat(json("--rate 1M").at("/needs/kafka/transactions/all").asDouble()).isPositive();
    JsonNode twice = json("--rate 1M --delivery at-least-once").at("/needs/kafka/transactions");
    assertThat(twice.isMissingNode()).isTrue();
    assertThat(json("--rate 1M --retention 7d").at("/needs/kafka/kept/all").asDouble())
        .isEqualTo(7 * json("--rate 1M").at("/needs/kafka/kept/all").asDouble());
    assertThat(json("--rate 1M --replicas 1").at("/needs/kafka/disks_to_buy/all").asInt())
        .isLessThan(json("--rate 1M --replicas 2").at("/needs/kafka/disks_to_buy/all").asInt());
    assertThat(
            json("--rate 20M --busy 50")
                .at("/needs/recovery/caught_up_after/one_server")
                .asDouble())
        .isLessThan(
            json("--rate 20M --busy 90")
                .at("/needs/recovery/caught_up_after/one_server")
                .asDouble());
    assertThat(json("--rate 1M --cores 5").at("/limits/cores_of_a_server/there_is").asInt())
        .isEqualTo(5);
    assertThat(json("--rate 1M --memory 32g").at("/limits/memory_of_a_server/there_is").asLong())
        .isEqualTo(32L << 30);
    assertThat(json("--rate 1M --uplink 1G").at("/limits/uplink_of_a_server/there_is").asLong())
        .isEqualTo(1_000_000_000L);
    assertThat(json("--rate 1M --disk-size 1t").at("/needs/kafka/disks_to_buy/how").asText())
        .contains("1 TiB");
    assertThat(json("--rate 1M --disk-write 90M").at("/needs/kafka/disks_to_buy/how").asText())
        .contains("90 MB/s");
  }

  @Test
  void shouldNameOptionsThatTapAndJobHave() throws Exception {
    JsonNode commands =
        json("--rate 8M --functions pass=50,aggregate=50 --checkpoint 1500ms").get("commands");
    assertThat(commands.get(0).asText())
        .startsWith("./flowstone tap live IFACE --threads 1 --ring-count ");
    assertThat(commands.get(1).asText())
        .contains(
            "--checkpoint-interval 1500ms --delivery exactly-once --release on_checkpoint"
                + " --rules FILE --most-flows ");
    assertThat(commands.get(2).asText())
        .isEqualTo(
            "kafka-topics.sh --bootstrap-server HOST:9092 --create --topic packets --partitions 3"
                + " --replication-factor 3");
    assertThat(commands.get(3).asText())
        .isEqualTo(commands.get(2).asText().replace("packets", "results"));
    assertThat(commands).hasSize(4);
  }

  @Test
  void shouldMakeNoTopicOfResultsWhereNoRuleFindsAny() throws Exception {
    assertThat(json("--rate 8M").get("commands"))
        .hasSize(3)
        .noneMatch(command -> command.asText().contains("results"));
  }

  /** The rings of 16 GiB and their headers twice, in half of 64 GiB. */
  @Test
  void shouldSayWhereARestartedTapFindsNoRoom() {
    RunPlan run = RunPlan.of("--rate 8M --checkpoint 10s");
    assertThat(run.status()).isEqualTo(1);
    assertThat(run.output()).contains("DOES NOT FIT, /dev/shm of a server: ");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "--flows 1M ; how many packets come? Give --rate 8M, or --link 10G with --packet-bytes 800",
        "--rate 1M --link 1G --packet-bytes 99 ; how many packets come?",
        "--link 10G ; --link and --packet-bytes belong together",
        "--rate 1M --packet-bytes 99 ; --link and --packet-bytes belong together",
        "--rate 0 ; --rate must be 1k to 1G: 0",
        "--rate 8x ; --rate must be 1k to 1G: 8x",
        "--rate 1M --servers 0 ; --servers must be 1 to 10000: 0",
        "--rate 1M --flows 0 ; --flows must be 1 to 1G: 0",
        "--rate 1M --flows 1.5 ; --flows must be a whole number, 1 to 1G: 1.5",
        "--rate 1M --functions pass=90 ; --functions must be percents from 0 on that are 100 in all: {pass=90.0}",
        "--rate 1M --functions pass=120,drop=-20 ; --functions must be percents from 0 on",
        "--rate 1M --functions pass=NaN ; --functions must be percents from 0 on",
        "--rate 1M --functions stop=100 ; expected one of [PASS",
        "--rate 1M --functions user=100 ; measure it and say --user-ns",
        "--rate 1M --functions drop=100 --rules 0 ; --rules 0: without a rule all packets pass",
        "--rate 1M --checkpoint 10 ; expected a number with a unit",
        "--rate 1M --checkpoint 0s ; --checkpoint must be 10 ms or more: 0 ms",
        "--rate 1M --retention 0s ; --retention must be 1 s or more: 0 ms",
        "--rate 1M --busy 100 ; --busy must be 1 to 95 percent: 100",
        "--rate 1M --speed 0 ; --speed must be 0.05 to 20: 0",
        "--rate 1M --replicas 0 ; --replicas must be 1 to 10: 0",
        "--rate 1M --release sometimes ; --release",
        "--rate 1M --delivery twice ; --delivery",
      })
  void shouldRefuseNonsenseInOneLine(String options, String reason) {
    RunPlan run = RunPlan.of(options);
    assertThat(run.status()).isEqualTo(2);
    assertThat(run.output()).isEmpty();
    assertThat(run.errors()).startsWith("flowstone: ").contains(reason);
    assertThat(run.errors().strip().lines()).hasSize(1);
  }
}
