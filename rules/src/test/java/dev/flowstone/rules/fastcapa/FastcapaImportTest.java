// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.rules.fastcapa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.rules.Match;
import dev.flowstone.rules.Problem;
import dev.flowstone.rules.Rule;
import dev.flowstone.rules.RulesFileException;
import dev.flowstone.rules.function.Drop;
import dev.flowstone.rules.function.Pass;
import dev.flowstone.rules.yaml.RulesYaml;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FastcapaImportTest {
  /** Every key there is. */
  private static final String ALL =
      """
      // flows of the testbed
      pipeline = 4
      iperf {
        protocol = 6            // TCP
        protocol_mask = 255
        srcIP = "10.1.2.3"
        srcIP_mask = 8
        dstIP = 192.0.2.7
        dstIP_mask = 32
        srcPort = 0
        srcPort_mask = 65535
        dstPort = 5201
        dstPort_mask = 5209
        priority = 20
        flow_id = 7
        flow_id_mask = 0xff
        ring_id = 3
        service_function = "histogram"
        resolution = 1000
        report_interval_tsc = 4800000000
        sampling_rate = 1
        pipeline = 1
        service_core_in_pipeline = 2
        service_core_id = 5
        kafka_topic = "hist"
      }
      flows = (
        { priority: 5; protocol: 17; protocol_mask: 0x10; service_function: sampling, sampling_rate: 100 },
        { ring_id 0; kafka_topic "topic_drop"; dstIP 2001:db8::1; dstIP_mask 64 },
        { srcIP 0.0.0.0; srcIP_mask 0; srcPort 53; service_function passthrough; colour red }
      )
      """;

  private static final String ALL_AS_YAML =
      """
      rules:
        - name: iperf
          priority: 20
          match:
            source: 10.0.0.0/8
            destination: 192.0.2.7
            destination_port: 5201-5209
            protocol: tcp
          function:
            histogram:
              lowest: 1us
              interval: 2s
          topic: hist
          flow_id: 7
        - name: rule-2
          priority: 5
          match:
            protocol: 0x10/0x10
          function:
            sample:
              one_in: 100
        - name: rule-3
          priority: 0
          match:
            destination: 2001:db8::/64
          function: drop
        - name: rule-4
          priority: 0
          match:
            source_port: 53
          function: pass
      default:
        function: pass
      """;

  private static FastcapaImport read(String text) {
    return FastcapaImport.read(text, "flows.conf", OptionalDouble.of(2.4e9));
  }

  @Test
  void shouldReadEveryKey() {
    assertThat(RulesYaml.write(read(ALL).rules())).isEqualTo(ALL_AS_YAML);
  }

  @Test
  void shouldNameWhatHasNoMeaningHereByItsLine() {
    assertThat(read(ALL).leftOut())
        .extracting(Problem::toString)
        .containsExactly(
            "2:1: pipeline 4: stands outside of a rule",
            "16:3: rule iperf: flow_id_mask 0xff: a rule's flow id is one number here",
            "17:3: rule iperf: ring_id 3: rings are filled by the flow hash here; it only tells what"
                + " is dropped",
            "21:3: rule iperf: sampling_rate 1: is for sampling alone",
            "22:3: rule iperf: pipeline 1: Flink places the work",
            "23:3: rule iperf: service_core_in_pipeline 2: Flink places the work",
            "24:3: rule iperf: service_core_id 5: Flink places the work",
            "30:76: rule rule-4: colour red: not known here");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "''|1:1: no rule: a group in braces with keys such as srcIP or protocol",
        "a { srcIP = 10.0.0.1|1:3: this brace is never closed",
        "} |1:1: a brace is closed that was never opened",
        "a { srcIP = }|1:5: srcIP has no value",
        "a { srcIP = \"x }|1:5: srcIP has no value",
        "a { srcIP = host }|1:5: rule a: srcIP: not an address",
        "a { srcIP = 10.0.0.1; srcIP_mask = 33 }|1:23: rule a: srcIP_mask: must be 0 to 32: 33",
        "a { srcIP = 10.0.0.1; srcIP = 10.0.0.2 }|1:23: rule a: srcIP stands twice in one rule",
        "a { dstPort = 80; dstPort_mask = 79 }|1:19: rule a: dstPort_mask is the upper end of a range here",
        "a { dstPort = web }|1:5: rule a: dstPort: not a number: web",
        "a { priority = -1 }|1:5: rule a: priority: must be 0 to 2147483647: -1",
        "a { service_function = mirror }|1:5: rule a: service_function must be passthrough, sampling or histogram: mirror",
        "a { service_function = sampling }|1:3: rule a: sampling needs sampling_rate",
        "a { service_function = sampling; sampling_rate = 0 }|1:3: rule a: one_in must be 1 to 1000000000: 0",
        "a { service_function = histogram; resolution = 0 }|1:3: rule a: lowest must be 1ns or more",
        "a { service_function = histogram; report_interval_tsc = 5 }|1:3: rule a: interval must be 1ms to 7d",
        "a { kafka_topic = \"a b\" }|1:5: rule a: kafka_topic: a topic's name has",
        "iperf { dstPort_mask = 5209; priority=9; ring_id=0; kafka_topic=topic_drop }|1:9: rule iperf: dstPort_mask stands without dstPort",
        "a { srcIP_mask = 8; dstPort = 80 }|1:5: rule a: srcIP_mask stands without srcIP",
        "a { srcPort_mask = 8; dstPort = 80 }|1:5: rule a: srcPort_mask stands without srcPort",
        "a { dstIP_mask = 8; dstPort = 80 }|1:5: rule a: dstIP_mask stands without dstIP",
        "a { protocol_mask = 8; dstPort = 80 }|1:5: rule a: protocol_mask stands without protocol",
        "a { ring_id = 0; kafka_topic = topic_drop }|1:3: rule a: no key says which packets, such as srcIP or protocol; for every packet write protocol = 0",
        "rule { match { dstPort=80 } action { ring_id=0; kafka_topic=topic_drop } }|1:36: rule action: no key says which packets",
        "dpdk { cores = 4; }|1:1: no rule: a group in braces",
        "x { }|1:1: no rule: a group in braces",
        "a { dstPort = 80 } /* b { dstPort = 81 }|1:20: this comment is never closed",
        "a { dstPrt = 80; srcIP = 10.0.0.1 }|1:5: rule a: dstPrt: did you mean dstPort?",
        "a { srcIP = 10.0.0.0/8; srcIP_mask = 8 }|1:25: rule a: srcIP_mask: srcIP has a mask of its own",
        "a { srcIP = 10.0.0.1/8 }|1:5: rule a: srcIP: 10.0.0.1/8 has bits beyond its mask",
        "a { srcPort = 1; kafka_topic = t } b { srcPort = 2; kafka_topic = t; service_function = histogram }|1:1: topic t is given packets by a and results by b",
        "a { srcIP = 10.0.0.1; dstIP = ::1 }|1:3: rule a: no packet has a source of one IP version",
      })
  void shouldSayWhatIsWrongAndWhere(String text, String expected) {
    assertThatThrownBy(() -> read(text))
        .isInstanceOf(RulesFileException.class)
        .hasMessageContaining("flows.conf:" + expected);
  }

  private static Rule rule(String text) {
    return read(text).rules().rules().getFirst();
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "0x0", "00"})
  void shouldDropInRing0(String ring) {
    assertThat(
            rule("a { dstPort = 80; kafka_topic = topic_drop; ring_id = " + ring + " }").function())
        .isEqualTo(new Drop());
  }

  @Test
  void shouldNotDropInAnotherRing() {
    assertThat(rule("a { dstPort = 80; kafka_topic = topic_drop; ring_id = 10 }").function())
        .isEqualTo(Pass.unchanged());
  }

  @Test
  void shouldTakeAMaskBehindTheAddress() {
    assertThat(rule("a { srcIP = 10.0.0.0/8; dstIP = 10.0.0.1/255.0.0.255 }").match())
        .hasToString("source 10.0.0.0/8, destination 10.0.0.1/255.0.0.255");
    assertThat(rule("a { protocol = 17; srcIP = 0.0.0.0/0 }").match()).hasToString("udp");
  }

  @Test
  void shouldMeanEveryPacketWhereThatIsSaid() {
    assertThat(rule("a { protocol = 0; protocol_mask = 0 }").match()).isEqualTo(Match.EVERY);
  }

  @Test
  void shouldNameGroupsThatAreNoRulesAndNamesThatChange() {
    FastcapaImport imported =
        read(
            "dpdk { cores = 4; }\nx { }\na { dstPort = 80 }\na { dstPort = 81 }\na/b { dstPort = 82 }");

    assertThat(imported.rules().rules())
        .extracting(Rule::name)
        .containsExactly("a", "rule-2", "rule-3", "default");
    assertThat(imported.leftOut())
        .extracting(Problem::toString)
        .containsExactly(
            "1:8: cores 4: stands outside of a rule",
            "2:3: a group with nothing in it",
            "4:3: rule rule-2: the name a: is taken",
            "5:5: rule rule-3: the name a/b: is none for a rule");
  }

  @Test
  void shouldAskForTheProcessorsFrequency() {
    String text = "a { service_function = histogram; report_interval_tsc = 2400000000 }";

    assertThatThrownBy(() -> FastcapaImport.read(text, "flows.conf", OptionalDouble.empty()))
        .hasMessageContaining(
            "flows.conf:1:35: rule a: report_interval_tsc counts a processor's ticks")
        .hasMessageContaining("--tsc-hz");
  }

  @Test
  void shouldRefuseWhatIsNestedTooDeep() {
    assertThatThrownBy(() -> read("{".repeat(1_000_000)))
        .isInstanceOf(RulesFileException.class)
        .hasMessageContaining("nested more than 16 deep");
  }

  @Test
  void shouldPassOverCommentsOfAllKinds() {
    String text = "/* one\n two */ a { # three\n srcPort 53 // four\n}";

    assertThat(read(text).rules().rules().getFirst().match()).hasToString("source port 53");
  }
}
