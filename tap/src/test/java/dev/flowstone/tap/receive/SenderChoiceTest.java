// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.receive;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.model.abi.DatagramFlag;
import dev.flowstone.tap.datagram.MadeDatagram;
import dev.flowstone.tap.receive.SenderChoice.Verdict;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SenderChoiceTest {
  private static final long SECOND_NS = TimeUnit.SECONDS.toNanos(1);

  private SenderChoice choice = new SenderChoice(Optional.empty(), false);
  private long nowNs = TimeUnit.HOURS.toNanos(1);

  private static MadeDatagram first() {
    return MadeDatagram.ofPackets(0, 0, 1).run(10, 100).reader(5).tap(3);
  }

  @BeforeEach
  void shouldTakeTheFirst() {
    try (MadeDatagram datagram = first()) {
      assertThat(choice.judge(datagram.memory(), nowNs)).isEqualTo(Verdict.NEXT_RUN);
      choice.choose(datagram.memory(), nowNs);
      choice.heard(datagram.memory(), nowNs);
    }
  }

  private Verdict judge(MadeDatagram datagram) {
    try (datagram) {
      return choice.judge(datagram.memory(), nowNs);
    }
  }

  private void hear(MadeDatagram datagram) {
    try (datagram) {
      choice.heard(datagram.memory(), nowNs);
    }
  }

  @Test
  void shouldGoOnListeningToIt() {
    nowNs += 100 * SECOND_NS;
    assertThat(judge(first())).isEqualTo(Verdict.CURRENT);
    assertThat(choice.isSilent(nowNs)).isTrue();
  }

  @Test
  void shouldListenToTheSameSenderStartedAgainAtOnce() {
    assertThat(judge(first().run(11, 101))).isEqualTo(Verdict.NEXT_RUN);
  }

  @Test
  void shouldNotGoBackToAnEarlierRun() {
    assertThat(judge(first().run(9, 99))).isEqualTo(Verdict.FORMER_RUN);
    assertThat(judge(first().run(9, 100))).isEqualTo(Verdict.FORMER_RUN);
    hear(first().flags(DatagramFlag.SENDER_LEAVES));
    assertThat(judge(first().run(9, 99))).isEqualTo(Verdict.FORMER_RUN);
  }

  /** A clock that was set back must not shut the sender out for ever. */
  @Test
  void shouldListenToAnEarlierRunWhenNobodyElseSends() {
    nowNs += 11 * SECOND_NS;
    assertThat(judge(first().run(9, 99))).isEqualTo(Verdict.NEXT_RUN);
  }

  /** As one that a former receiver listened to. */
  private void beginAnew() {
    try (MadeDatagram datagram = first()) {
      choice = new SenderChoice(Optional.of(HeardSender.of(datagram.memory())), false);
    }
  }

  @Test
  void shouldNotGoBackToARunThatAFormerReceiverHasLeftBehind() {
    beginAnew();
    assertThat(judge(first().run(9, 99))).isEqualTo(Verdict.FORMER_RUN);
    nowNs += 9 * SECOND_NS;
    assertThat(judge(first().run(9, 99))).isEqualTo(Verdict.FORMER_RUN);
    nowNs += 2 * SECOND_NS;
    assertThat(judge(first().run(9, 99))).isEqualTo(Verdict.NEXT_RUN);
  }

  @Test
  void shouldListenAtOnceToWhomAFormerReceiverListenedToOrToAnybodyElse() {
    beginAnew();
    assertThat(judge(first())).isEqualTo(Verdict.NEXT_RUN);
    assertThat(judge(first().run(11, 101))).isEqualTo(Verdict.NEXT_RUN);
    assertThat(judge(first().run(9, 99).tap(4))).isEqualTo(Verdict.NEXT_RUN);
    assertThat(choice.isSilent(nowNs + 100 * SECOND_NS)).as("it may have left long ago").isFalse();
  }

  @Test
  void shouldRefuseOthersWhileItSends() {
    assertThat(judge(first().run(11, 101).reader(6))).isEqualTo(Verdict.OTHER_SENDER);
    assertThat(judge(first().run(11, 101).tap(4))).isEqualTo(Verdict.OTHER_SENDER);
    nowNs += 9 * SECOND_NS;
    hear(first());
    nowNs += 9 * SECOND_NS;
    assertThat(judge(first().run(11, 101).tap(4))).isEqualTo(Verdict.OTHER_SENDER);
    assertThat(choice.isSilent(nowNs)).isFalse();
  }

  @Test
  void shouldListenToAnotherWhenItHasLeft() {
    hear(first().flags(DatagramFlag.SENDER_LEAVES));
    assertThat(judge(first().run(11, 101).tap(4))).isEqualTo(Verdict.NEXT_RUN);
    nowNs += 100 * SECOND_NS;
    assertThat(choice.isSilent(nowNs)).as("it said that it leaves").isFalse();
  }

  @Test
  void shouldListenToAnotherWhenItIsSilentForLong() {
    nowNs += 11 * SECOND_NS;
    assertThat(judge(first().run(11, 101).reader(6))).isEqualTo(Verdict.NEXT_RUN);
  }

  private void beginWith(MadeDatagram datagram, boolean hasKey) {
    try (datagram) {
      choice = new SenderChoice(Optional.empty(), hasKey);
      assertThat(choice.judge(datagram.memory(), nowNs)).isEqualTo(Verdict.NEXT_RUN);
      choice.choose(datagram.memory(), nowNs);
      choice.heard(datagram.memory(), nowNs);
    }
  }

  private static MadeDatagram otherHello() {
    return MadeDatagram.hello(0).run(11, 101).tap(4);
  }

  private static MadeDatagram otherPackets() {
    return MadeDatagram.ofPackets(0, 0, 1).run(11, 101).tap(4);
  }

  @Test
  void prefersSenderOfPacketsToSenderOfHello() {
    beginWith(MadeDatagram.hello(0).run(10, 100).tap(3), false);
    assertThat(judge(otherHello())).isEqualTo(Verdict.OTHER_SENDER);
    assertThat(judge(otherPackets())).isEqualTo(Verdict.NEXT_RUN);
    hear(MadeDatagram.ofPackets(1, 0, 1).run(10, 100).tap(3));
    assertThat(judge(otherPackets())).isEqualTo(Verdict.OTHER_SENDER);
  }

  @Test
  void prefersAnyOtherSenderToOneThatSentHelloForLong() {
    beginWith(MadeDatagram.hello(0).run(10, 100).tap(3), false);
    nowNs += 9 * SECOND_NS;
    hear(MadeDatagram.hello(1).run(10, 100).tap(3));
    assertThat(judge(otherHello())).isEqualTo(Verdict.OTHER_SENDER);
    nowNs += 2 * SECOND_NS;
    assertThat(judge(otherHello())).isEqualTo(Verdict.NEXT_RUN);
  }

  /** What an attacker recorded must not be taken for a sender, whatever the current one does. */
  @Test
  void withKey_rejectsEarlierRunsAlways() {
    beginWith(MadeDatagram.hello(0).run(10, 100).reader(5).tap(3), true);
    for (int seconds : new int[] {0, 11, 1_000}) {
      nowNs += seconds * SECOND_NS;
      for (long started : new long[] {99, 100}) {
        assertThat(judge(first().run(9, started))).isEqualTo(Verdict.FORMER_RUN);
        assertThat(judge(otherPackets().run(9, started)))
            .isIn(Verdict.OTHER_SENDER, Verdict.FORMER_RUN);
      }
    }
    hear(first().flags(DatagramFlag.SENDER_LEAVES));
    assertThat(judge(otherPackets().run(9, 99))).isEqualTo(Verdict.OTHER_SENDER);
    assertThat(judge(first())).isEqualTo(Verdict.CURRENT);
  }

  /** Even if an earlier run was replayed before, and is still. */
  @Test
  void withKey_followsLaterRunOfAnySender() {
    beginWith(first(), true);
    assertThat(judge(otherHello())).isEqualTo(Verdict.NEXT_RUN);
    assertThat(judge(first().run(11, 101))).isEqualTo(Verdict.NEXT_RUN);
  }
}
