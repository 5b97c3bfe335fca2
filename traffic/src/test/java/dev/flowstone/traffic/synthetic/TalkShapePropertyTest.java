// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.traffic.synthetic;

import static org.assertj.core.api.Assertions.assertThat;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

class TalkShapePropertyTest {
  @Property
  void shouldGiveBackWhatWasPacked(
      @ForAll @IntRange(max = 255) int turnPackets,
      @ForAll @IntRange(max = 255) int sequenceOffset,
      @ForAll @IntRange(max = 65_535) int talkerWireBytes,
      @ForAll @IntRange(max = 65_535) int answererWireBytes,
      @ForAll @IntRange(max = 65_535) int advanceBytes) {
    long shape =
        TalkShape.pack(
            turnPackets, sequenceOffset, talkerWireBytes, answererWireBytes, advanceBytes);
    assertThat(TalkShape.turnPackets(shape)).isEqualTo(turnPackets);
    assertThat(TalkShape.sequenceOffset(shape)).isEqualTo(sequenceOffset);
    assertThat(TalkShape.wireBytes(shape, FlowBlocks.TALKER)).isEqualTo(talkerWireBytes);
    assertThat(TalkShape.wireBytes(shape, FlowBlocks.ANSWERER)).isEqualTo(answererWireBytes);
    assertThat(TalkShape.advanceBytes(shape)).isEqualTo(advanceBytes);
  }
}
