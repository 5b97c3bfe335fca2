// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.model.abi.OtherReason;
import dev.flowstone.model.abi.PacketRecordLayout;
import dev.flowstone.model.abi.RecordKind;
import dev.flowstone.rules.yaml.RulesYaml;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What each condition means, told by packets and the text of a match. */
class MatchTest {
  private final MemorySegment record =
      Arena.ofAuto().allocate(PacketRecordLayout.SIZE_BYTES, PacketRecordLayout.SIZE_BYTES);

  private static Match match(String text) {
    String file = "rules: [{name: r, function: drop, match: {" + text + "}}]";
    return RulesYaml.read(file.getBytes(StandardCharsets.UTF_8), "test").rules().getFirst().match();
  }

  private void put(long offset, int value) {
    record.set(ValueLayout.JAVA_BYTE, offset, (byte) value);
  }

  /** 192.0.2.10:49152 to 198.51.100.20:443, a SYN with type of service 0xb8, from port 1. */
  private void putSyn(int kind) {
    put(PacketRecordLayout.SOURCE_ADDRESS_OFFSET + 10, 0xff);
    put(PacketRecordLayout.SOURCE_ADDRESS_OFFSET + 11, 0xff);
    put(PacketRecordLayout.SOURCE_ADDRESS_OFFSET + 12, 192);
    put(PacketRecordLayout.SOURCE_ADDRESS_OFFSET + 14, 2);
    put(PacketRecordLayout.SOURCE_ADDRESS_OFFSET + 15, 10);
    put(PacketRecordLayout.DESTINATION_ADDRESS_OFFSET + 10, 0xff);
    put(PacketRecordLayout.DESTINATION_ADDRESS_OFFSET + 11, 0xff);
    put(PacketRecordLayout.DESTINATION_ADDRESS_OFFSET + 12, 198);
    put(PacketRecordLayout.DESTINATION_ADDRESS_OFFSET + 13, 51);
    put(PacketRecordLayout.DESTINATION_ADDRESS_OFFSET + 14, 100);
    put(PacketRecordLayout.DESTINATION_ADDRESS_OFFSET + 15, 20);
    put(PacketRecordLayout.SOURCE_PORT_OFFSET + 1, 0xc0);
    put(PacketRecordLayout.DESTINATION_PORT_OFFSET, 443 & 0xff);
    put(PacketRecordLayout.DESTINATION_PORT_OFFSET + 1, 443 >> 8);
    put(PacketRecordLayout.PROTOCOL_OFFSET, 6);
    put(PacketRecordLayout.TCP_FLAGS_OFFSET, 2);
    put(PacketRecordLayout.TYPE_OF_SERVICE_OFFSET, 0xb8);
    put(PacketRecordLayout.DESCRIPTOR_OFFSET + 3, kind << 2 | 2);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "source: 192.0.2.10",
        "source: 192.0.2.0/24",
        "source: 0.0.0.0/0",
        "source: 192.0.0.10/255.0.0.255",
        "destination: 198.51.100.20",
        "source_port: 49152",
        "source_port: 49152-65535",
        "source_port: 0xc000/0xf000",
        "destination_port: [80, 443]",
        "protocol: tcp",
        "protocol: 6",
        "protocol: 0x04/0x04",
        "tcp_flags: syn and not ack",
        "tcp_flags: 0x02/0x12",
        "type_of_service: 0xb8",
        "type_of_service: 0xb8/0xfc",
        "ingress_port: 1",
        "later_fragment: false",
        "encapsulated: false",
        "ip: 4"
      })
  void shouldMatchTheSyn(String text) {
    putSyn(RecordKind.IPV4);

    assertThat(match(text).matches(record, 0)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "source: 192.0.2.11",
        "source: 192.0.3.0/24",
        "source: '::/0'",
        "source: 198.51.100.20",
        "source: 192.0.0.11/255.0.0.255",
        "destination: 192.0.2.10",
        "source_port: 443",
        "source_port: 49153-65535",
        "source_port: 0xd000/0xf000",
        "destination_port: [80, 442, 444-500]",
        "protocol: udp",
        "tcp_flags: syn and ack",
        "tcp_flags: not syn",
        "type_of_service: 0",
        "ingress_port: 0",
        "later_fragment: true",
        "encapsulated: true",
        "ip: 6",
        "ip: none"
      })
  void shouldNotMatchTheSyn(String text) {
    putSyn(RecordKind.IPV4);

    assertThat(match(text).matches(record, 0)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"::ffff:192.0.2.10", "::ffff:192.0.2.0/120", "::ffff:c000:20a"})
  void shouldSayHowIpv4IsWritten(String address) {
    assertThatThrownBy(() -> AddressMatch.parse(address))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("an IPv4 address is written as such, without ::ffff: in front: " + address);
  }

  @Test
  void shouldTellEncapsulatedPackets() {
    putSyn(RecordKind.IPV4_ENCAPSULATED);

    assertThat(match("encapsulated: true, ip: 4").matches(record, 0)).isTrue();
    assertThat(match("encapsulated: false").matches(record, 0)).isFalse();
  }

  /** Such as ARP: what stands in place of ports is no port. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "source_port: 0-65535",
        "protocol: 0x00/0x00",
        "type_of_service: 0",
        "source: '::/0'",
        "source: 0.0.0.0/0",
        "tcp_flags: not syn",
        "ip: 6",
        "ip: 4"
      })
  void shouldAskOfPacketsWithoutIpOnlyWhatTheyHave(String text) {
    put(PacketRecordLayout.SOURCE_PORT_OFFSET, OtherReason.NOT_IP);
    put(PacketRecordLayout.DESCRIPTOR_OFFSET + 3, RecordKind.OTHER << 2);

    assertThat(match(text).matches(record, 0)).isFalse();
    assertThat(match("ip: none, ingress_port: 0").matches(record, 0)).isTrue();
  }

  @Test
  void shouldAskFlagsOfTcpAlone() {
    putSyn(RecordKind.IPV4);
    put(PacketRecordLayout.PROTOCOL_OFFSET, 17);

    assertThat(match("tcp_flags: not ack").matches(record, 0)).isFalse();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "''|source: 10.0.0.0/8|true",
        "source: 10.0.0.0/8|source: 10.1.0.0/16|true",
        "source: 10.1.0.0/16|source: 10.0.0.0/8|false",
        "source: 10.0.0.0/8|destination: 10.1.0.0/16|false",
        "ip: 4|source: 10.0.0.0/8|true",
        "ip: 6|source: 10.0.0.0/8|false",
        "protocol: tcp|tcp_flags: syn|true",
        "tcp_flags: syn|tcp_flags: syn and not ack|true",
        "tcp_flags: syn and not ack|tcp_flags: syn|false",
        "source_port: 1-100|source_port: [5, 7-9]|true",
        "source_port: [1-50, 51-100]|source_port: 40-60|false",
        "source_port: 0x00/0x01|source_port: 0x10/0xff|true",
        "source: 10.0.0.0/8|source: '2001:db8::/32'|false",
        "later_fragment: true|later_fragment: true, ip: 4|true",
        "encapsulated: true|encapsulated: false|false",
      })
  void shouldSeeThatOneCoversTheOther(String one, String other, boolean covers) {
    assertThat(match(one).covers(match(other))).isEqualTo(covers);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "''|false",
        "ip: none|false",
        "'ip: none, ingress_port: 1, encapsulated: false'|false",
        "'ip: none, encapsulated: true'|true",
        "'ip: none, later_fragment: true'|true",
        "'ip: none, protocol: tcp'|true",
        "'ip: 6, source: 10.0.0.0/8'|true",
        "'ip: 4, source: 10.0.0.0/8, encapsulated: true'|false",
        "'protocol: udp, tcp_flags: syn'|true",
        "'protocol: 0x04/0x0c, tcp_flags: syn'|false",
        "'protocol: icmp, source_port: 80'|true",
        "'protocol: icmp, source_port: 0-80'|false",
        "'protocol: gre, destination_port: 0'|false",
        "'protocol: sctp, destination_port: 80'|false",
        "'protocol: 136, destination_port: 80'|false",
        "'later_fragment: true, destination_port: 80'|true",
        "'later_fragment: true, destination_port: 0'|false",
        "'later_fragment: true, tcp_flags: syn'|true",
        "'later_fragment: true, tcp_flags: not syn'|false",
        "'later_fragment: false, destination_port: 80'|false",
      })
  void shouldSeeThatNoPacketIsMeant(String text, boolean isImpossible) {
    assertThat(match(text).isImpossible()).isEqualTo(isImpossible);
  }

  @Test
  void shouldRefuseToLookFromOneVersionToTheOther() {
    assertThatThrownBy(() -> match("source: 10.0.0.1, destination: 2001:db8::1"))
        .hasMessageContaining("one IP version")
        .hasMessageContaining("10.0.0.1 to 2001:db8::1");
  }
}
