// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.datagram;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.model.abi.DatagramFlag;
import dev.flowstone.model.abi.PacketRecordLayout;
import dev.flowstone.model.abi.RecordKind;
import dev.flowstone.model.abi.TelemetryDatagramLayout;
import dev.flowstone.tap.datagram.MadeDatagram.Ancestor;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class DatagramCheckTest {
  private static final DatagramCheck CHECK = new DatagramCheck(Optional.empty());
  private static final DatagramKey KEY = key('k');
  private static final long SECOND_RECORD =
      DatagramHeader.BYTES + PacketRecordLayout.SIZE_BYTES + PacketRecordLayout.DESCRIPTOR_OFFSET;

  @Test
  void shouldFindNothingWrongWithWhatSendersSend() {
    for (MadeDatagram each :
        List.of(
            MadeDatagram.ofPackets(0, 0, 1),
            MadeDatagram.ofPackets(7, 1_000, 138).start(10, 2).lost(990, 5),
            MadeDatagram.ofPackets(0, 0, 1021),
            MadeDatagram.heartbeat(3, 500),
            MadeDatagram.heartbeat(3, 500).lineage(new Ancestor(9, 1, 2), new Ancestor(8, 3, 4)),
            MadeDatagram.hello(0),
            MadeDatagram.hello(0).rings(128).ring(127))) {
      try (each) {
        assertThat(CHECK.fault(each.checked(), each.lengthBytes())).isEmpty();
      }
    }
  }

  @Test
  void shouldTellWhatIsDamagedFromWhatIsForeign() {
    try (MadeDatagram made = MadeDatagram.ofPackets(0, 0, 2)) {
      DatagramBuffer sound = made.checked();
      assertThat(CHECK.fault(sound, 127)).contains(Refusal.TOO_SHORT);
      assertThat(CHECK.fault(sound, 0)).contains(Refusal.TOO_SHORT);
      assertThat(CHECK.fault(sound, made.lengthBytes() - 1)).contains(Refusal.LENGTH);
      assertThat(CHECK.fault(sound, made.lengthBytes() + 1)).contains(Refusal.LENGTH);
      made.setByte(made.lengthBytes() - 1L, 0x55);
      assertThat(CHECK.fault(sound, made.lengthBytes())).contains(Refusal.CHECKSUM);
      made.setShort(TelemetryDatagramLayout.VERSION_OFFSET, 2);
      assertThat(CHECK.fault(sound, made.lengthBytes())).contains(Refusal.VERSION);
      made.setByte(0, 'X');
      assertThat(CHECK.fault(sound, made.lengthBytes())).contains(Refusal.FOREIGN);
    }
  }

  static Stream<Arguments> senselessThings() {
    return Stream.of(
        senseless("no packets", made -> made.setShort(12, 0).lengthBytes(128)),
        senseless("an unknown kind", made -> made.setByte(6, 9)),
        senseless("no kind", made -> made.setByte(6, 0)),
        senseless("a ring that there is not", made -> made.ring(1)),
        senseless("another ring's stream", made -> made.rings(2).setShort(8, 1)),
        senseless("no rings", made -> made.setShort(10, 0)),
        senseless("too many rings", made -> made.setShort(10, 257)),
        senseless("no key groups", made -> made.set(16, 0)),
        senseless("too many key groups", made -> made.set(16, 32_769)),
        senseless("negative key groups", made -> made.set(16, -1)),
        senseless("a TIME record", made -> kind(made, RecordKind.TIME)),
        senseless("a LOSS record", made -> kind(made, RecordKind.LOSS)),
        senseless("a free slot", made -> kind(made, RecordKind.FREE)),
        senseless("a negative sequence number", made -> made.sequence(-1)),
        senseless("negative packets", made -> made.packets(-1)),
        senseless("more packets than can be", made -> made.packets((1L << 56) + 1)),
        senseless("more lost than there were", made -> made.packets(9).lost(10, 0)),
        senseless("more before its start", made -> made.packets(9).start(5, 0).lost(5, 0)),
        senseless("a negative loss", made -> made.packets(9).lost(-1, 0)),
        senseless("a negative loss before the tap", made -> made.lost(0, -1)),
        senseless("a negative start", made -> made.start(-1, 0)),
        senseless("a negative loss at its start", made -> made.start(0, -1)));
  }

  private static Arguments senseless(String what, Consumer<MadeDatagram> change) {
    return Arguments.of(what, change);
  }

  private static void kind(MadeDatagram made, int kind) {
    made.set(SECOND_RECORD, kind << PacketRecordLayout.KIND_SHIFT);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("senselessThings")
  void shouldNotBelieveWhatNoSenderSays(String what, Consumer<MadeDatagram> change) {
    try (MadeDatagram made = MadeDatagram.ofPackets(0, 0, 2)) {
      change.accept(made);
      assertThat(CHECK.fault(made.checked(), made.lengthBytes()))
          .as(what)
          .contains(Refusal.CONTENT);
    }
  }

  @Test
  void shouldNotBelieveALineageThatNoRingHas() {
    Ancestor[] nine =
        Stream.generate(() -> new Ancestor(1, 1, 1)).limit(9).toArray(Ancestor[]::new);
    for (Ancestor[] lineage :
        List.of(
            nine,
            new Ancestor[] {new Ancestor(1, -1, 0)},
            new Ancestor[] {new Ancestor(1, 0, Long.MIN_VALUE)})) {
      try (MadeDatagram made = MadeDatagram.heartbeat(0, 0).lineage(lineage)) {
        assertThat(CHECK.fault(made.checked(), made.lengthBytes())).contains(Refusal.CONTENT);
      }
    }
  }

  private static DatagramKey key(int letter) {
    byte[] bytes = new byte[DatagramKey.MIN_BYTES];
    Arrays.fill(bytes, (byte) letter);
    return DatagramKey.of(bytes);
  }

  private static Optional<Refusal> faultWithKey(DatagramBuffer buffer, int lengthBytes) {
    return new DatagramCheck(Optional.of(KEY)).fault(buffer, lengthBytes);
  }

  @Test
  void acceptsDatagramsWithTheTagOfTheKey() {
    for (MadeDatagram each :
        List.of(
            MadeDatagram.ofPackets(0, 0, 1),
            MadeDatagram.ofPackets(0, 0, 1021),
            MadeDatagram.heartbeat(3, 500).lineage(new Ancestor(9, 1, 2)),
            MadeDatagram.hello(0))) {
      try (each) {
        DatagramBuffer tagged = each.tagged(KEY);
        assertThat(faultWithKey(tagged, each.lengthBytes())).isEmpty();
      }
    }
  }

  /** The tag is that of any other implementation. */
  @Test
  void tagsWithTheFirstBytesOfHmacSha256() throws GeneralSecurityException {
    try (MadeDatagram made = MadeDatagram.ofPackets(0, 0, 2)) {
      made.tagged(KEY);
      byte[] bytes = made.memory().asSlice(0, made.lengthBytes()).toArray(ValueLayout.JAVA_BYTE);
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec("k".repeat(16).getBytes(StandardCharsets.US_ASCII), "HmacSHA256"));
      int tagOffset = bytes.length - 16;
      mac.update(bytes, 0, tagOffset);
      assertThat(Arrays.copyOfRange(bytes, tagOffset, bytes.length))
          .isEqualTo(Arrays.copyOf(mac.doFinal(), 16));
    }
  }

  @Test
  void rejectsUntaggedDatagrams() {
    try (MadeDatagram made = MadeDatagram.ofPackets(0, 0, 2)) {
      DatagramBuffer untagged = made.checked();
      assertThat(faultWithKey(untagged, made.lengthBytes())).contains(Refusal.UNAUTHENTICATED);
      made.flags(DatagramFlag.AUTHENTICATED);
      made.checked();
      assertThat(faultWithKey(untagged, made.lengthBytes())).contains(Refusal.UNAUTHENTICATED);
      for (int lengthBytes : List.of(0, 1, DatagramHeader.BYTES, DatagramHeader.BYTES + 15)) {
        assertThat(faultWithKey(untagged, lengthBytes)).contains(Refusal.UNAUTHENTICATED);
      }
    }
  }

  @Test
  void rejectsTheTagOfAnotherKey() {
    try (MadeDatagram made = MadeDatagram.ofPackets(0, 0, 2)) {
      DatagramBuffer tagged = made.tagged(key('j'));
      assertThat(faultWithKey(tagged, made.lengthBytes())).contains(Refusal.UNAUTHENTICATED);
    }
  }

  /** Whichever byte, the last of the tag included, and though the checksum is right again. */
  @Test
  void rejectsDatagramsThatWereChangedAfterTagging() {
    try (MadeDatagram made = MadeDatagram.ofPackets(0, 0, 1)) {
      DatagramBuffer tagged = made.tagged(KEY);
      for (int i = 0; i < made.lengthBytes(); i++) {
        byte former = made.memory().get(ValueLayout.JAVA_BYTE, i);
        made.setByte(i, former ^ 1);
        assertThat(faultWithKey(tagged, made.lengthBytes()))
            .as("byte %d", i)
            .contains(Refusal.UNAUTHENTICATED);
        made.setByte(i, former);
      }
      made.packets(7).checked();
      assertThat(faultWithKey(tagged, made.lengthBytes())).contains(Refusal.UNAUTHENTICATED);
    }
  }

  @Test
  void rejectsTaggedDatagramsWithoutKey() {
    try (MadeDatagram made = MadeDatagram.ofPackets(0, 0, 2)) {
      DatagramBuffer tagged = made.tagged(KEY);
      assertThat(CHECK.fault(tagged, made.lengthBytes())).contains(Refusal.NO_KEY);
    }
  }

  /** A sender with the key may be of another release. */
  @Test
  void checksTheFormOfAuthenticDatagrams() {
    try (MadeDatagram made = MadeDatagram.ofPackets(0, 0, 2).ring(1)) {
      DatagramBuffer tagged = made.tagged(KEY);
      assertThat(faultWithKey(tagged, made.lengthBytes())).contains(Refusal.CONTENT);
    }
  }

  @Test
  void rejectsShortKeys() {
    assertThatThrownBy(() -> DatagramKey.of(new byte[15]))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("at least 16 bytes, got 15");
  }
}
