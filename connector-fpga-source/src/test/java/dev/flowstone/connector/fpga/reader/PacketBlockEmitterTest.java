// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.reader;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.connector.fpga.TestTap;
import dev.flowstone.connector.fpga.rings.MemoryRing;
import dev.flowstone.connector.fpga.rings.MemoryRings;
import dev.flowstone.connector.fpga.rings.OpenRing;
import dev.flowstone.model.KeyGroups;
import dev.flowstone.offheap.ring.RingReader.Poll;
import dev.flowstone.offheap.ring.RingStart;
import org.junit.jupiter.api.Test;

class PacketBlockEmitterTest {
  private static final int RINGS = 4;
  private static final int FLOW_HASH_OF_TEST_PACKETS = 0;

  @Test
  void shouldKnowAPacketInAnotherKeyGroupsRing() {
    MemoryRings rings = new MemoryRings(RINGS);
    MemoryRing ring = rings.start(0, 10);
    ring.tellTime(TestTap.START_NS);
    ring.write(0, 1, TestTap.START_NS);
    OpenRing open = rings.open(MemoryRings.stream(0), RingStart.OLDEST).orElseThrow();
    assertThat(open.poll(1)).isEqualTo(Poll.CLOCK);
    assertThat(open.poll(1)).isEqualTo(Poll.PACKETS);
    byte[] table = KeyGroups.ringTable(MemoryRing.KEY_GROUPS, RINGS);
    int keyGroup = KeyGroups.keyGroup(FLOW_HASH_OF_TEST_PACKETS, MemoryRing.KEY_GROUPS);
    int home = table[keyGroup];
    for (int at = 0; at < RINGS; at++) {
      assertThat(
              new PacketBlockEmitter(MemoryRings.stream(at))
                  .strayKeyGroup(open.identity(), open.run()))
          .isEqualTo(at == home ? RunEmitter.NOT_STRAY : keyGroup);
    }
  }
}
