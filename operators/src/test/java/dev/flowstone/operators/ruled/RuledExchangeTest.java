// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.ruled;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.blocks.PacketBlockOrigin;
import dev.flowstone.model.FlowTuple;
import dev.flowstone.model.PacketLoss;
import dev.flowstone.model.PacketRecord;
import dev.flowstone.operators.SentPacket;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.streaming.api.operators.StreamFlatMap;
import org.apache.flink.streaming.api.operators.StreamMap;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.OneInputStreamOperatorTestHarness;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Two senders and three receivers, and between them the bytes that Flink makes of each part. */
@SuppressWarnings("try") // A harness throws at its end whatever its operator does.
class RuledExchangeTest {
  private static final int KEY_GROUPS = 128;
  private static final int SUBTASKS = 3;
  private static final PacketBlockOrigin NOWHERE = new PacketBlockOrigin(0, 0, 0, 0, true);
  private static final TypeSerializer<RuledPart> SERIALIZER =
      RuledPart.TYPE.createSerializer(new SerializerConfigImpl());

  private final List<OneInputStreamOperatorTestHarness<RuledBlock, RuledPart>> senders =
      new ArrayList<>();
  private final List<OneInputStreamOperatorTestHarness<RuledPart, RuledBlock>> receivers =
      new ArrayList<>();

  @BeforeEach
  void open() throws Exception {
    for (int subtask = 0; subtask < SUBTASKS; subtask++) {
      var sender =
          new OneInputStreamOperatorTestHarness<>(
              new StreamFlatMap<>(new RuledSplitter()), KEY_GROUPS, SUBTASKS, subtask);
      sender.setup(SERIALIZER);
      sender.open();
      senders.add(sender);
      var receiver =
          new OneInputStreamOperatorTestHarness<>(
              new StreamMap<>(new OwnRuledFlows()), KEY_GROUPS, SUBTASKS, subtask);
      receiver.setup(RuledBlock.TYPE.createSerializer(new SerializerConfigImpl()));
      receiver.open();
      receivers.add(receiver);
    }
  }

  @AfterEach
  void close() throws Exception {
    for (var each : senders) {
      each.close();
    }
    for (var each : receivers) {
      each.close();
    }
  }

  private static RulesInForce rules(long version, int count) {
    StringBuilder text = new StringBuilder("rules:\n");
    for (int rule = 0; rule < count; rule++) {
      text.append(
          "  - {name: v%d-%d, match: {destination_port: %d}, function: aggregate}\n"
              .formatted(version, rule, rule));
    }
    return new RulesText(version, "test", text.toString()).read();
  }

  private static PacketBlock packets(Random random, int count) {
    List<SentPacket> packets = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      packets.add(
          new SentPacket(
              FlowTuple.ipv4(random.nextInt(50), 2, 3, 4, 17), 1_000_000 + i, 100 + i, 0));
    }
    return SentPacket.block(packets);
  }

  /** Sends a block and gives what all receivers then have, of all that was sent. */
  private void send(int sender, RuledBlock block) throws Exception {
    senders.get(sender).processElement(new StreamRecord<>(block));
    for (RuledPart part : senders.get(sender).extractOutputValues()) {
      receivers.get(part.subtask()).processElement(new StreamRecord<>(throughBytes(part)));
    }
    senders.get(sender).getOutput().clear();
  }

  private static RuledPart throughBytes(RuledPart part) throws Exception {
    DataOutputSerializer bytes = new DataOutputSerializer(1 << 10);
    SERIALIZER.serialize(part, bytes);
    return SERIALIZER.deserialize(new DataInputDeserializer(bytes.getCopyOfBuffer()));
  }

  private List<RuledBlock> received() {
    return receivers.stream().flatMap(each -> each.extractOutputValues().stream()).toList();
  }

  /** Each packet by its rule's name, hash and length. */
  private static void book(Map<String, Integer> books, RuledBlock block) {
    for (int i = 0; i < block.packets().count(); i++) {
      long at = block.packets().offsetOf(i);
      var segment = block.packets().segment();
      String packet =
          block.rules().tag(block.ruleOf(i)).name()
              + " "
              + PacketRecord.flowHash(segment, at)
              + " "
              + PacketRecord.frameLength(PacketRecord.descriptor(segment, at));
      books.merge(packet, 1, Integer::sum);
    }
  }

  @Test
  void shouldBringEachPacketOnceWithItsRuleWhileSendersChangeRulesOneAfterTheOther()
      throws Exception {
    Random random = new Random(9);
    RulesInForce first = rules(1, 5);
    RulesInForce second = rules(2, 3);
    Map<String, Integer> sent = new TreeMap<>();
    for (int i = 0; i < 60; i++) {
      for (int sender = 0; sender < SUBTASKS; sender++) {
        RulesInForce rules = i < 20 + 10 * sender ? first : second;
        PacketBlock packets = packets(random, 1 + random.nextInt(40));
        short[] ruleOfPacket = new short[packets.count()];
        for (int j = 0; j < ruleOfPacket.length; j++) {
          ruleOfPacket[j] = (short) random.nextInt(rules.size());
        }
        RuledBlock block =
            random.nextInt(4) == 0
                ? RuledBlock.of(packets, rules, random.nextInt(rules.size()))
                : RuledBlock.of(packets, rules, ruleOfPacket);
        book(sent, block);
        send(sender, block);
      }
    }
    Map<String, Integer> found = new TreeMap<>();
    received().forEach(block -> book(found, block));
    assertThat(found).isEqualTo(sent);
  }

  @Test
  void shouldTellRulesToEachSubtaskBeforeAnyPacketAndOnce() throws Exception {
    RulesInForce rules = rules(1, 2);
    send(0, RuledBlock.of(PacketBlock.empty(NOWHERE, PacketLoss.NONE), rules, 0));
    send(0, RuledBlock.of(PacketBlock.empty(NOWHERE, PacketLoss.NONE), rules, 0));
    for (var receiver : receivers) {
      assertThat(receiver.extractOutputValues())
          .singleElement()
          .satisfies(
              told -> {
                assertThat(told.packets().count()).isZero();
                assertThat(told.rules().version()).isEqualTo(1);
                assertThat(told.rules().rules()).isEqualTo(rules.rules());
              });
    }
  }

  /** Functions ask whether rules are new by looking whether they are the same. */
  @Test
  void shouldGiveTheSameRulesWhicheverSenderGoesByThem() throws Exception {
    for (int sender = 0; sender < SUBTASKS; sender++) {
      send(sender, RuledBlock.of(packets(new Random(3), 20), rules(4, 2), 0));
    }
    for (var receiver : receivers) {
      RulesInForce first = receiver.extractOutputValues().getFirst().rules();
      assertThat(receiver.extractOutputValues())
          .allSatisfy(block -> assertThat(block.rules()).isSameAs(first));
    }
  }

  @Test
  void shouldTellOfALossOnce() throws Exception {
    RulesInForce rules = rules(1, 1);
    PacketLoss loss = new PacketLoss(7, 3);
    send(1, RuledBlock.of(packets(new Random(4), 50).withLossBefore(loss), rules, 0));
    send(1, RuledBlock.of(PacketBlock.empty(NOWHERE, loss), rules, 0));
    assertThat(received())
        .extracting(block -> block.packets().lossBefore())
        .filteredOn(loss::equals)
        .hasSize(2);
    assertThat(received()).filteredOn(block -> block.packets().lossBefore().isNone()).isNotEmpty();
  }

  @Test
  void shouldRefuseAnotherSubtasksPackets() throws Exception {
    RulesInForce rules = rules(1, 1);
    PacketBlock one = packets(new Random(4), 1);
    senders.getFirst().processElement(new StreamRecord<>(RuledBlock.of(one, rules, 0)));
    RuledPart part = senders.getFirst().extractOutputValues().getLast();
    var wrong = receivers.get((part.subtask() + 1) % SUBTASKS);
    wrong.processElement(
        new StreamRecord<>(
            new RuledPart(
                0, 0, PacketBlock.empty(NOWHERE, PacketLoss.NONE), new short[1], rules.text())));
    assertThatThrownBy(() -> wrong.processElement(new StreamRecord<>(part)))
        .hasStackTraceContaining("the same parallelism");
  }
}
