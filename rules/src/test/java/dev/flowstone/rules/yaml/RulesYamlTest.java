// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.rules.yaml;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.rules.RandomRules;
import dev.flowstone.rules.Rule;
import dev.flowstone.rules.RuleSet;
import dev.flowstone.rules.RulesFileException;
import dev.flowstone.rules.TextFile;
import dev.flowstone.rules.function.Histogram;
import dev.flowstone.rules.function.ServiceFunction.Output;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class RulesYamlTest {
  private static final Path EXAMPLE = Path.of("../flink-conf/rules.example.yaml");
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
  private static final Duration MAX_CPU_TIME = Duration.ofSeconds(5);

  private static RuleSet read(String text) {
    return RulesYaml.read(text.getBytes(UTF_8), "rules.yaml");
  }

  private static String rule(String more) {
    return "rules:\n  - name: a\n    " + more + "\n";
  }

  @Test
  void shouldReadTheExample() throws IOException {
    RuleSet rules = RulesYaml.read(EXAMPLE);

    assertThat(rules.rules())
        .extracting(Rule::name)
        .containsExactly(
            "web-syn",
            "site-latency",
            "backbone-sample",
            "our-own",
            "flow-records",
            "shared-with-others",
            "no-arp",
            "default");
    assertThat(rules.rules().get(1).function())
        .isInstanceOfSatisfying(
            Histogram.class, each -> assertThat(each.interval()).isEqualTo(Duration.ofSeconds(10)));
    assertThat(IntStream.range(0, rules.size()))
        .as("each counts")
        .allMatch(
            rule ->
                rules.shadowOf(rule).isEmpty() && !rules.rules().get(rule).match().isImpossible());
  }

  @Test
  void shouldReadJson() {
    assertThat(
            read("{\"rules\": [{\"name\": \"a\", \"function\": {\"sample\": {\"one_in\": 2}}}]}"))
        .isEqualTo(read("rules:\n- name: a\n  function:\n    sample:\n      one_in: 2\n"));
  }

  @Test
  void shouldPutHigherPriorityFirstAndKeepTheOrderOfEqualOnes() {
    RuleSet rules =
        read(
            "rules: [{name: a, function: drop}, {name: b, priority: 2, function: drop},"
                + " {name: c, function: drop}, {name: d, priority: 2, function: drop}]");

    assertThat(rules.rules()).extracting(Rule::name).containsExactly("b", "d", "a", "c", "default");
  }

  @Property(tries = 100)
  void shouldReadWhatItWrites(@ForAll long seed, @ForAll @IntRange(max = 20) int count) {
    RuleSet rules = new RandomRules(seed).set(count);

    assertThat(read(RulesYaml.write(rules))).isEqualTo(rules);
  }

  /** Each with the place, the rule, what was found and what is allowed. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "sourceport: 5|3:5: rule a: unknown key sourceport; a rule takes name, priority, match",
        "function: drop\\n"
            + "    prioriti: 5|4:5: rule a: unknown key prioriti, did you mean priority?",
        "function: drop\\n"
            + "    priority: high|4:15: rule a: priority must be a whole number of 0 to 2147483647:"
            + " high",
        "function: drop\\n    priority: -1|4:15: rule a: priority must be a whole number",
        "function: drop\\n"
            + "    priority: 99999999999999999999|4:15: rule a: priority must be a whole number",
        "function: drop\\n"
            + "    priority: 1.5|4:15: rule a: priority must be a whole number of 0 to 2147483647:"
            + " 1.5",
        "function: drop\\n"
            + "    priority:|4:14: rule a: priority must be a whole number of 0 to 2147483647:"
            + " nothing",
        "function: drop\\n    function: drop|4:5: a rule has the key function twice",
        "function: drop\\n"
            + "    flow_id: 4294967296|4:14: rule a: flow_id must be a whole number of 0 to"
            + " 4294967295",
        "function: drop\\n    topic: a b|4:12: rule a: topic: a topic's name has 1 to 249 letters",
        "function: drop\\n    topic: ..|4:12: rule a: topic: a topic's name",
        "function: drop\\n    topic: __consumer_offsets|4:12: rule a: topic: topic names that begin with __ are",
        "function: drop\\n    topic: 5|4:12: rule a: topic must be text, so put it in quotes: 5",
        "priority: 5|2:5: rule a: a rule needs function",
        "function: dorp|3:15: rule a: function must be pass, drop, aggregate or histogram, or one"
            + " of",
        "function: {smaple: {one_in: 2}}|3:16: rule a: function must be",
        "function: {sample: {}}|3:24: rule a: sample needs one_in",
        "function: {sample: {one_in: 0}}|3:33: rule a: one_in must be a whole number of 1 to"
            + " 1000000000: 0",
        "function: {sample: {one_in: 2, by: flow}}|3:40: rule a: by must be one of packets, flows,"
            + " random: flow",
        "function: {sample: {one_in: 2, seed: 3}}|3:24: rule a: seed is for by: random",
        "function: {sample: {one_in: 2, keep_syn_fin_rst: yes}}|3:54: rule a: keep_syn_fin_rst must"
            + " be true or false: yes",
        "function: {pass: {anonymise: /etc/key}}|3:22: rule a: a key's name has 1 to 64",
        "function: {histogram: {lowest: 5}}|3:36: rule a: lowest must be text, so put it in quotes:"
            + " 5",
        "function: {histogram: {lowest: 5 q}}|3:36: rule a: lowest: expected a number"
            + " with a unit",
        "function: {histogram: {lowest: '5'}}|3:36: rule a: lowest: expected a number"
            + " with a unit",
        "function: {histogram: {lowest: 8d}}|3:36: rule a: lowest: at most 7d",
        "function: {histogram: {lowest: 10s}}|3:27: rule a: lowest must be 1ns or more and highest"
            + " at least twice that",
        "function: {histogram: {of: []}}|3:27: rule a: of must name inter_arrival, packet_size or"
            + " both",
        "function: {histogram: {of: rtt}}|3:32: rule a: of must be a list: rtt",
        "function: {histogram: {ipv4_bits: 8}}|3:27: rule a: ipv4_bits and ipv6_bits are for per",
        "function: {histogram: {interval: 0s}}|3:27: rule a: interval must be 1ms to 7d: 0s",
        "function: {aggregate: {active_timeout: 10s}}|3:27: rule a: idle_timeout, 15s, must not be"
            + " longer than active_timeout, 10s (left out they are 15s and 60s)",
        "function: {aggregate: {idle_timeout: 8d}}|3:42: rule a: idle_timeout: at most 7d: 8d",
        "function: {anomaly: {detect: syn_flood}}|3:25: rule a: anomaly must be a list of"
            + " detectors: a mapping",
        "function: {anomaly: []}|3:25: rule a: anomaly takes 1 to 16 detectors: 0",
        "function: {anomaly: [{detect: syn_flood}]}|3:26: rule a: detector needs detect and"
            + " threshold",
        "function: {anomaly: [{detect: udp_flood, threshold: 5, least_completed_percent: 5}]}|3:26:"
            + " rule a: least_completed_percent is for syn_flood",
        "function: {anomaly: [{detect: udp_flood, threshold: 5, window: 5s, slide: 2s}]}|3:26: rule"
            + " a: window must be 1 to 60 times slide: 5s and 2s",
        "function: {anomaly: [{detect: udp_flood, threshold: 5, baseline: {times: 5}}]}|3:70: rule"
            + " a: baseline needs times and half_life",
        "function: {anomaly: [{detect: udp_flood, threshold: 5}, {detect: udp_flood, threshold:"
            + " 5}]}|3:25: rule a: two detectors of one rule are the same",
        "function: {anomaly: [{detect: udp_flood, threshold: 5, thresholds: [{prefix: 10.0.0.0/8,"
            + " threshold: 1}, {prefix: 10.0.0.0/255.0.0.0, threshold: 2}]}]}|3:26: rule a:"
            + " thresholds has the prefix 10.0.0.0/8 twice",
        "function: {user: {class: a-b}}|3:22: rule a: not the name of a class, such as"
            + " org.example.Watch: a-b",
        "function: {user: {class: a, options: {x: 1}}}|3:46: rule a: x must be text, so put it in"
            + " quotes: 1",
        "match: {source: 10.0.0.1/8}|3:21: rule a: source: 10.0.0.1/8 has bits beyond its mask;"
            + " 10.0.0.0/8 has the same meaning",
        "match: {source: 10.0.0.256}|3:21: rule a: source: not an address, such as 192.0.2.7",
        "match: {source: 10.0.0.0/33}|3:21: rule a: source: a prefix of IPv4 has 0 to 32 bits:"
            + " 10.0.0.0/33",
        "match: {source: example.org}|3:21: rule a: source: not an address",
        "match: {source: fe80::1%eth0}|3:21: rule a: source: not an address",
        "match: {source_port: 80-}|3:26: rule a: source_port: not a number of 0 to 65535: 80-",
        "match: {source_port: 90-80}|3:26: rule a: source_port: ports must be 0 to 65535, the lower"
            + " one first: 90-80",
        "match: {source_port: [80, 70000]}|3:31: rule a: source_port: must be 0 to 65535: 70000",
        "match: {source_port: []}|3:12: rule a: 1 to 64 ports or ranges: 0",
        "match: {source_port: 0x11/0x10}|3:26: rule a: source_port: 0x11/0x10 can never match",
        "match: {source_port: {a: 1}}|3:26: rule a: source_port must be a number or text: a"
            + " mapping",
        "match: {protocol: tpc}|3:23: rule a: protocol: not a protocol, which is one of icmp, igmp,"
            + " tcp, udp",
        "match: {tcp_flags: syn or ack}|3:24: rule a: tcp_flags: not TCP flags, which are some of"
            + " fin, syn",
        "match: {tcp_flags: syn and not syn}|3:24: rule a: tcp_flags: syn stands twice",
        "match: {ingress_port: 2}|3:27: rule a: ingress_port must be a whole number of 0 to 1: 2",
        "match: {ip: 5}|3:17: rule a: ip must be one of 4, 6, none: 5",
        "match: {later_fragment: 1}|3:29: rule a: later_fragment must be true or false: 1",
        "match: {ip: 4.5}|3:17: rule a: ip must be one of 4, 6, none: 4.5",
        "match: {src: 10.0.0.1}|3:13: rule a: unknown key src; match takes source, destination",
      })
  void shouldSayWhatIsWrongAndWhere(String more, String expected) {
    assertThatThrownBy(() -> read(rule(more.replace("\\n", "\n"))))
        .isInstanceOf(RulesFileException.class)
        .hasMessageContaining("rules.yaml:" + expected);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "''|1:1: the file is empty",
        "# nothing|1:1: the file is empty",
        "5|1:1: the file must be a mapping: 5",
        "{}|1:1: the file needs rules, a list",
        "rules: 5|1:8: rules must be a list: 5",
        "rules: [5]|1:9: a rule must be a mapping: 5",
        "'rules: [{function: drop}]'|1:9: a rule needs name",
        "'rules: [{name: a b, function: drop}]'|1:16: name: a rule's name has 1 to 64 letters",
        "'rules: [{name: 5, function: drop}]'|1:16: name must be text, so put it in quotes: 5",
        "'rules: [{name: default, function: drop}]'|1:16: default is the name of the rule for all"
            + " other",
        "'rules: [{name: a, function: drop}, {name: a, function: drop}]'|1:43: a rule named a"
            + " stands at line 1",
        "'rules: []\\n"
            + "default: {function: drop, name: x}'|2:27: rule default: unknown key name; default"
            + " takes",
        "'rules: []\\ndefault: drop'|2:10: default must be a mapping: drop",
        "'rules: []\\n---\\nrules: []'|2:1: one document only",
        "'rules: [{name: a'|1:17: no YAML: expected",
        "'rules: [{name: a, match: {source: 2001:db8::}}]'|1:44: no YAML: expected",
        "'rules:\\n"
            + "  - name: a\\n"
            + "    match:\\n"
            + "      source: 2001:db8::\\n"
            + "'|4:24: no YAML: mapping values are not allowed here; text with a colon",
        "'rules: &x [*x]'|1:8: anchors and aliases (& and *) are not taken",
        "'rules: [*x]'|1:9: anchors and aliases (& and *) are not taken",
        "'rules: !!java.lang.Object []'|1:8: tags (!) are not taken",
        "'rules: [!!str a]'|1:9: tags (!) are not taken",
        "'? [a]\\n: b'|1:3: a key must be a word",
      })
  void shouldSayWhatIsWrongWithTheFile(String text, String expected) {
    assertThatThrownBy(() -> read(text.replace("\\n", "\n")))
        .isInstanceOf(RulesFileException.class)
        .hasMessageContaining("rules.yaml:" + expected);
  }

  @Test
  void shouldTellAllThatIsWrongUpToABound() {
    String text =
        "rules:\n"
            + IntStream.range(0, 30)
                .mapToObj(i -> "  - {name: r" + i + ", priority: x, function: drop}\n")
                .reduce("", String::concat);

    assertThatThrownBy(() -> read(text))
        .isInstanceOfSatisfying(RulesFileException.class, e -> assertThat(e.problems()).hasSize(20))
        .hasMessageContaining("rules.yaml:21:27: rule r19: priority must be")
        .hasMessageEndingWith("rules.yaml: and 10 more");
  }

  @Test
  void shouldRefuseMoreRulesThanTheClassifierTakes() {
    String text =
        "rules:\n"
            + IntStream.range(0, RuleSet.MOST_RULES)
                .mapToObj(i -> "- {name: r" + i + ", function: drop}\n")
                .reduce(new StringBuilder(), StringBuilder::append, StringBuilder::append);

    assertThatThrownBy(() -> read(text))
        .hasMessageContaining("at most 4095 rules and the default: 4096");
  }

  @Test
  void shouldRefuseMoreMasksThanAPacketIsHeldAgainst() {
    String text =
        "rules:\n"
            + IntStream.range(1, 18)
                .mapToObj(
                    i ->
                        "- {name: r"
                            + i
                            + ", function: drop, match: {source: 0.0.0.0/0.0.0."
                            + i
                            + "}}\n")
                .reduce("", String::concat);

    assertThatThrownBy(() -> read(text))
        .hasMessageContaining("at most 16 different address masks that are no prefixes: 17");
  }

  /** What would take a careless reader's memory or stack, or minutes. */
  static Stream<String> hostileTexts() {
    String laughs =
        "a: &a [x,x,x,x,x,x,x,x,x]\n"
            + IntStream.range('b', 'k')
                .mapToObj(i -> (char) i)
                .map(
                    each ->
                        each
                            + ": &"
                            + each
                            + " ["
                            + ("*" + (char) (each - 1) + ",").repeat(9)
                            + "]\n")
                .reduce("", String::concat);
    return Stream.of(
        laughs,
        "[".repeat(1_000_000),
        "{a: ".repeat(500_000),
        "- ".repeat(1_000_000),
        "? ".repeat(1_000_000),
        "rules: " + "x".repeat(1_000_000),
        "rules: \"" + "\\n".repeat(2_000_000) + "\"",
        "rules: |\n" + " x\n".repeat(1_000_000),
        "x".repeat(TextFile.MOST_BYTES + 1),
        "rules: [" + "{name: a},".repeat(100_000) + "]",
        "rules: [" + "{name: a, name: a},".repeat(4000) + "]",
        "rules: []\n"
            + IntStream.range(0, 200_000)
                .mapToObj(i -> "k" + i + ": 1\n")
                .reduce(new StringBuilder(), StringBuilder::append, StringBuilder::append),
        "rules: [{name: a, function: {user: {class: " + "a.".repeat(1_000_000) + "}}}]",
        "rules: [{name: a, function: drop, match: {source_port: [" + "1,".repeat(300_000) + "]}}]",
        "rules: [{name: a, function: drop, match: {tcp_flags: "
            + "syn and ".repeat(400_000)
            + "x}}]",
        "rules: \"\\UFFFFFFFF\"",
        "rules: [{name: a, function: drop, priority: 1." + "0".repeat(1_000_000) + "}]",
        "\0\1\2",
        "%YAML 9.9\n---\nrules: []");
  }

  @ParameterizedTest
  @MethodSource("hostileTexts")
  void shouldRefuseHostileTextWithLittleWork(String text) {
    long beforeNs = THREADS.getCurrentThreadCpuTime();
    assertThatThrownBy(() -> read(text))
        .isInstanceOfSatisfying(
            RulesFileException.class, e -> assertThat(e.getMessage()).hasSizeLessThan(20_000));
    assertThat(Duration.ofNanos(THREADS.getCurrentThreadCpuTime() - beforeNs))
        .as("CPU time of this thread, which does not depend on other programs")
        .isLessThan(MAX_CPU_TIME);
  }

  /** Not met are a match that lets nothing through and one that lets no ACK through. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "udp_flood|protocol: tcp|false",
        "udp_flood|protocol: 0x10/0xf0|true",
        "udp_flood|tcp_flags: syn|false",
        "udp_flood|'later_fragment: true, protocol: udp'|true",
        "udp_flood|ip: none|false",
        "amplification|'protocol: tcp, source_port: 53'|false",
        "amplification|source_port: 53|true",
        "icmp_flood|protocol: icmpv6|true",
        "icmp_flood|destination_port: 7|false",
        "rst_flood|tcp_flags: syn and not rst|false",
        "rst_flood|tcp_flags: syn|true",
        "syn_flood|tcp_flags: ack|false",
        "syn_flood|later_fragment: true|false",
        "syn_flood|tcp_flags: syn and not ack|true",
        "'syn_flood, least_completed_percent: 5'|tcp_flags: syn and not ack|false",
        "'syn_flood, least_completed_percent: 5'|tcp_flags: not rst|true",
        "'syn_flood, least_completed_percent: 5'|destination_port: 80|true",
        "port_scan|protocol: udp|false",
        "port_scan|tcp_flags: fin|true",
        "host_scan|protocol: sctp|false",
        "host_scan|tcp_flags: ack|false",
      })
  void shouldRefuseADetectorThatNeverSeesWhatItNeeds(String detect, String match, boolean taken) {
    String text =
        rule(
            "match: {%s}\n    function: {anomaly: [{threshold: 5, detect: %s}]}"
                .formatted(match, detect));
    if (taken) {
      assertThat(read(text).size()).isEqualTo(2);
    } else {
      assertThatThrownBy(() -> read(text))
          .isInstanceOf(RulesFileException.class)
          .hasMessageStartingWith("rules.yaml:2:5: rule a: ")
          .hasMessageContaining(": match means no");
    }
  }

  @Test
  void shouldRefuseATopicOfPacketsAndOfResults() {
    String text =
        """
        rules:
          - {name: a, function: {sample: {one_in: 2}}, topic: shared}
          - {name: b, function: histogram, topic: %s}
          - {name: c, function: drop, topic: shared}
        default: {function: pass, topic: shared}
        """;

    assertThatThrownBy(() -> read(text.formatted("shared")))
        .hasMessage(
            "rules.yaml:3:5: rule b: topic shared is given packets by a and results by b; name"
                + " another for one of them");
    assertThat(read(text.formatted("other")).rules())
        .extracting(rule -> rule.function().output())
        .containsExactly(Output.PACKETS, Output.RESULTS, Output.NOTHING, Output.PACKETS);
  }

  /** Wherever the engine's buffers may end. */
  @Test
  void shouldReadACharacterBeyond16BitsAtEveryOffset() {
    String rules = "\nrules: []\ndefault: {function: drop}";
    RuleSet expected = read(rules);
    for (int offset = 0; offset <= 2100; offset++) {
      assertThat(read("#" + "x".repeat(offset) + "\ud83d\ude00" + rules)).isEqualTo(expected);
    }
  }

  /** A line's end in quotes must not begin a line of what is told. */
  @Test
  void shouldTellEachProblemInOneLine() {
    String text = rule("function: \"drop\\nrules.yaml:9:9: all is well\\e[2K\"");

    assertThatThrownBy(() -> read(text))
        .hasMessageEndingWith("drop\\u000arules.yaml:9:9: all is well\\u001b[2K")
        .satisfies(e -> assertThat(e.getMessage().lines()).hasSize(1));
  }

  @Test
  void shouldPassOverAByteOrderMark() {
    assertThat(read("\ufeffrules: []")).isEqualTo(read("rules: []"));
  }

  @Test
  void shouldRefuseWhatIsNoText() {
    assertThatThrownBy(() -> RulesYaml.read(new byte[] {(byte) 0xff, 0}, "rules.yaml"))
        .hasMessage("rules.yaml:1:1: no UTF-8 text");
  }
}
