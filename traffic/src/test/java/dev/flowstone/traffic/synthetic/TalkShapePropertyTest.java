// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.traffic.synthetic;

import static org.assertj.core.api.Assertions.assertThat;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

class TalkShapePropertyTest {
  @Property
  void shouldGiveBackWhatWasPacked(
      @ForAll @IntRange(max = 65_535) int fullBytes,
      @ForAll @IntRange(max = 65_535) int answerBytes,
      @ForAll @IntRange(max = 255) int mostTurns,
      @ForAll @IntRange(max = 255) int partOf256,
      @ForAll @IntRange(max = 127) int transportOffset,
      @ForAll @IntRange(max = 15) int headerWords,
      @ForAll @IntRange(max = 31) int flags) {
    long plain =
        TalkShape.pack(fullBytes, answerBytes, mostTurns, partOf256, transportOffset, headerWords);
    boolean[] set = new boolean[5];
    for (int i = 0; i < set.length; i++) {
      set[i] = ((flags >> i) & 1) != 0;
    }
    long shape = TalkShape.withSeen(plain, set[0], set[1]);
    shape = TalkShape.withIpv6(TalkShape.withJitter(shape, set[2]), set[3]);
    shape = TalkShape.withEcho(shape, set[4]);
    assertThat(TalkShape.fullBytes(shape)).isEqualTo(fullBytes);
    assertThat(TalkShape.answerBytes(shape)).isEqualTo(answerBytes);
    assertThat(TalkShape.mostTurns(shape)).isEqualTo(mostTurns);
    assertThat(TalkShape.partOf256(shape)).isEqualTo(partOf256);
    assertThat(TalkShape.transportOffset(shape)).isEqualTo(transportOffset);
    assertThat(TalkShape.headerWords(shape)).isEqualTo(headerWords);
    assertThat(
            new boolean[] {
              TalkShape.talkerSeen(shape),
              TalkShape.answererSeen(shape),
              TalkShape.jitter(shape),
              TalkShape.ipv6(shape),
              TalkShape.isEcho(shape)
            })
        .isEqualTo(set);
  }
}
