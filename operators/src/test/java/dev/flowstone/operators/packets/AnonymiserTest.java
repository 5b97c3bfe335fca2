// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.packets;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.model.FlowHash;
import dev.flowstone.model.FlowTuple;
import dev.flowstone.model.PacketLoss;
import dev.flowstone.model.PacketRecord;
import dev.flowstone.operators.SentPacket;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class AnonymiserTest {
  private static final byte[] KEY = PrefixCipherTest.sampleKey();

  private final Anonymiser anonymiser = new Anonymiser(KEY);
  private final PrefixCipher cipher = new PrefixCipher(KEY);

  private static SentRing ring(FlowTuple... flows) {
    List<SentPacket> packets = new ArrayList<>();
    for (FlowTuple flow : flows) {
      packets.add(new SentPacket(flow, 1_000_000L + packets.size(), 77, 0x18));
    }
    return SentRing.of(7, packets);
  }

  private static FlowTuple tuple(PacketBlock block, int packet) {
    return FlowTuple.of(block.segment(), block.offsetOf(packet));
  }

  private FlowTuple expected(FlowTuple flow) {
    if (flow.ipv4()) {
      return FlowTuple.ipv4(
          cipher.ipv4((int) flow.sourceLow()),
          cipher.ipv4((int) flow.destinationLow()),
          flow.sourcePort(),
          flow.destinationPort(),
          flow.protocol());
    }
    cipher.ipv6(flow.sourceHigh(), flow.sourceLow());
    long sourceHigh = cipher.high();
    long sourceLow = cipher.low();
    cipher.ipv6(flow.destinationHigh(), flow.destinationLow());
    return new FlowTuple(
        sourceHigh,
        sourceLow,
        cipher.high(),
        cipher.low(),
        flow.sourcePort(),
        flow.destinationPort(),
        flow.protocol(),
        false);
  }

  /** More addresses than there are places to remember them, again and again. */
  @Test
  void shouldChangeEachAddressAlikeWhetherItRemembersItOrNot() {
    Random random = new Random(3);
    int[] pool = random.ints(1 << Anonymiser.IPV4_PLACES_LOG2).toArray();
    for (int i = 0; i < 50; i++) {
      FlowTuple[] flows = new FlowTuple[200];
      for (int j = 0; j < flows.length; j++) {
        flows[j] =
            j % 2 == 0
                ? FlowTuple.ipv4(
                    pool[random.nextInt(1000)], pool[random.nextInt(pool.length)], j, 443, 6)
                : new FlowTuple(
                    random.nextInt(3),
                    random.nextInt(40_000),
                    0,
                    random.nextLong(),
                    j,
                    53,
                    17,
                    false);
      }
      PacketBlock changed = anonymiser.anonymous(ring(flows).block(0, flows.length));
      for (int j = 0; j < flows.length; j++) {
        assertThat(tuple(changed, j)).isEqualTo(expected(flows[j]));
      }
    }
  }

  /** An IPv6 packet may carry addresses that look like those of IPv4. */
  @Test
  void shouldChangeAllOfAnIpv6AddressThatLooksLikeIpv4() {
    FlowTuple likeIpv4 = new FlowTuple(0, 0xffff_0102_0304L, 0, 0xffff_0506_0708L, 1, 2, 6, false);
    PacketBlock changed = anonymiser.anonymous(ring(likeIpv4).block(0, 1));
    assertThat(tuple(changed, 0)).isEqualTo(expected(likeIpv4));
    assertThat(tuple(changed, 0).sourceHigh()).isNotZero();
  }

  @Test
  void shouldGiveBothDirectionsTheFlowHashOfTheNewAddresses() {
    FlowTuple flow = SentPacket.flow(5);
    PacketBlock changed = anonymiser.anonymous(ring(flow, flow.reversed()).block(0, 2));
    for (int i = 0; i < 2; i++) {
      assertThat(PacketRecord.flowHash(changed.segment(), changed.offsetOf(i)))
          .isEqualTo(FlowHash.of(tuple(changed, i)))
          .isEqualTo(FlowHash.of(expected(flow)))
          .isNotEqualTo(FlowHash.of(flow));
    }
  }

  @Test
  void shouldTouchNothingButAddressesAndHash() {
    SentRing ring = SentRing.random(7, 500, new Random(4));
    byte[] before = ring.records().toArray(ValueLayout.JAVA_BYTE);
    PacketBlock all = ring.block(0, 500, PacketLoss.inRing(3));
    int[] odd = IntStream.range(0, 250).map(i -> 2 * i + 1).toArray();
    PacketBlock block = all.select(odd, odd.length).withLossBefore(all.lossBefore());

    PacketBlock changed = anonymiser.anonymous(block);

    assertThat(ring.records().toArray(ValueLayout.JAVA_BYTE)).isEqualTo(before);
    assertThat(changed.lossBefore()).isEqualTo(block.lossBefore());
    assertThat(changed.origin()).isEqualTo(block.origin());
    int withoutIp = 0;
    for (int i = 0; i < odd.length; i++) {
      assertThat(changed.positionOf(i)).isEqualTo(block.positionOf(i));
      long to = changed.offsetOf(i);
      long from = block.offsetOf(i);
      boolean isIp =
          PacketRecord.isIp(PacketRecord.kind(PacketRecord.descriptor(block.segment(), from)));
      withoutIp += isIp ? 0 : 1;
      for (int at = 0; at < PacketBlock.RECORD_BYTES; at++) {
        if (!isIp || at < 4 || at >= 40) {
          assertThat(changed.segment().get(ValueLayout.JAVA_BYTE, to + at))
              .as("byte %d of packet %d", at, i)
              .isEqualTo(block.segment().get(ValueLayout.JAVA_BYTE, from + at));
        }
      }
    }
    assertThat(withoutIp).isPositive();
  }
}
