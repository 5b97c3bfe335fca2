// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.split;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.connector.fpga.rings.RingName;
import dev.flowstone.model.PacketLoss;
import dev.flowstone.offheap.ring.PacketBooks;
import dev.flowstone.offheap.ring.RingProgress;
import dev.flowstone.offheap.ring.RingStart;
import dev.flowstone.offheap.ring.RingTime;
import java.io.EOFException;
import java.io.IOException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

class RingSplitSerializerTest {
  private static final RingName NAME = new RingName("host-7", "/dev/shm/flowstone", 3);
  private static final long STREAM = 0x0123_4567_89ab_cd03L;
  private static final RingSplit RESUMED =
      new RingSplit(
          STREAM,
          NAME,
          8,
          new RingStart.Resume(
              new RingProgress(
                  0x0123456789abcdefL,
                  1_000_000,
                  new RingTime(1_700_000_000_000_000_000L, true, false),
                  new PacketBooks(
                      true, 999_000, 40, new PacketLoss(12, 3), new PacketLoss(5, 1)))));

  /** As version 2 wrote it; must stay readable for ever. */
  private static final String VERSION_2 =
      "0123456789abcd03"
          + "0006686f73742d37"
          + "00122f6465762f73686d2f666c6f7773746f6e65"
          + "00000003"
          + "00000008"
          + "02"
          + "0123456789abcdef"
          + "00000000000f4240"
          + "17979cfe362a0000"
          + "01"
          + "00"
          + "01"
          + "00000000000f3e58"
          + "0000000000000028"
          + "000000000000000c"
          + "0000000000000003"
          + "0000000000000005"
          + "0000000000000001";

  private static final int BOOKS_KNOWN_OFFSET = 71;

  private static RingSplit read(byte[] bytes) throws IOException {
    return RingSplitSerializer.INSTANCE.deserialize(3, bytes);
  }

  @Test
  void shouldReadVersion2AndWriteVersion3() throws IOException {
    byte[] bytes = HexFormat.of().parseHex(VERSION_2);
    assertThat(RingSplitSerializer.INSTANCE.deserialize(2, bytes)).isEqualTo(RESUMED);
    assertThat(read(bytes)).isEqualTo(RESUMED);
    assertThat(RingSplitSerializer.INSTANCE.serialize(RESUMED)).isEqualTo(bytes);
    assertThat(RingSplitSerializer.INSTANCE.getVersion()).isEqualTo(3);
  }

  /** It began in the middle, and version 2 wrote nothing of where. */
  @Test
  void shouldNotTakeWhatCameBeforeAReaderOfVersion2ForLost() throws IOException {
    byte[] bytes = HexFormat.of().parseHex(VERSION_2);
    bytes[BOOKS_KNOWN_OFFSET] = 0;
    RingStart.Resume start =
        (RingStart.Resume) RingSplitSerializer.INSTANCE.deserialize(2, bytes).start();
    assertThat(start.progress().books().accountedPackets()).isEqualTo(Long.MAX_VALUE);
    assertThat(((RingStart.Resume) read(bytes).start()).progress().books().accountedPackets())
        .isEqualTo(999_000);
  }

  @Test
  void shouldCarryEachStart() throws IOException {
    for (RingStart start :
        List.of(RingStart.OLDEST, RingStart.JOIN, RingStart.LATEST, RESUMED.start())) {
      RingSplit split = new RingSplit(STREAM, NAME, 8, start);
      assertThat(read(RingSplitSerializer.INSTANCE.serialize(split))).isEqualTo(split);
    }
  }

  @Test
  void shouldRefuseAnUnknownVersionAndMalformedBytes() {
    byte[] bytes = HexFormat.of().parseHex(VERSION_2);
    assertThatThrownBy(() -> RingSplitSerializer.INSTANCE.deserialize(1, bytes))
        .hasMessageContaining("version 1");
    assertThatThrownBy(() -> read(Arrays.copyOf(bytes, bytes.length - 1)))
        .isInstanceOf(EOFException.class);
    assertThatThrownBy(() -> read(Arrays.copyOf(bytes, bytes.length + 1)))
        .hasMessageContaining("too many");
    byte[] unknownStart = bytes.clone();
    unknownStart[44] = 9;
    assertThatThrownBy(() -> read(unknownStart)).hasMessageContaining("unknown start 9");
    byte[] wrongRing = bytes.clone();
    wrongRing[39] = 8;
    assertThatThrownBy(() -> read(wrongRing))
        .hasMessageContaining("ring 8 of stream 0123456789abcd03");
  }
}
