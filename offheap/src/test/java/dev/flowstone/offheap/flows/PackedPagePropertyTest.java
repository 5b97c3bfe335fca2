// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.flows;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** Pages of any length that come back as they went, and take no more than what is in them. */
class PackedPagePropertyTest {
  private static final int OFFSET = 13;

  @Property(tries = 300)
  void shouldComeBackAsItWent(@ForAll Random random) {
    byte[] content = new byte[random.nextInt(FlowTable.PAGE_BYTES / Long.BYTES + 1) * Long.BYTES];
    int dense = 1 + random.nextInt(20);
    int words = 0;
    for (int at = 0; at < content.length; at += Long.BYTES) {
      if (random.nextInt(20) < dense) {
        content[at + random.nextInt(Long.BYTES)] = (byte) (1 + random.nextInt(255));
        words++;
      }
    }
    byte[] packed = new byte[OFFSET + PackedPage.mostBytes(content.length)];
    int length = PackedPage.pack(MemorySegment.ofArray(content), 0, content.length, packed, OFFSET);
    assertThat(length)
        .isEqualTo((content.length + Long.SIZE * Long.BYTES - 1) / (Long.SIZE * 8) * 8 + words * 8);

    byte[] unpacked = new byte[content.length];
    Arrays.fill(unpacked, (byte) 7);
    assertThat(PackedPage.unpack(packed, OFFSET, OFFSET + length, unpacked)).isTrue();
    assertThat(unpacked).isEqualTo(content);
    if (length > 0) {
      assertThat(PackedPage.unpack(new byte[OFFSET], OFFSET, OFFSET, unpacked)).isFalse();
      int other = OFFSET + length + (random.nextBoolean() ? 1 : -1);
      assertThat(PackedPage.unpack(packed, OFFSET, other, unpacked)).isFalse();
    }
  }
}
