// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.card;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** By AMD's library: Flowstone's own knows the kernels without a look at the file. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class ForeignXclbinTest {
  @TempDir Path folder;

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "size=\"0x4\" offset=\"0x50\"|size=\"0x4\" offset=\"0x54\"|argument 8 at 0x54, and this program at 0x50",
        "ht_ring|my_ring|it is not Flowstone's",
        "xclbin2|xclbin1|is no xclbin"
      })
  void shouldRefuseAnXclbinOfOtherKernels(String ours, String others, String said)
      throws Exception {
    try (EmulatedTap card = new EmulatedTap(CardLane.AMD, folder, "model")) {
      String bytes = Files.readString(card.emulator.xclbin(), StandardCharsets.ISO_8859_1);
      assertThat(bytes).contains(ours);
      Path other =
          Files.writeString(
              folder.resolve("other.xclbin"),
              bytes.replace(ours, others),
              StandardCharsets.ISO_8859_1);
      assertThatThrownBy(
              () ->
                  Card.open(CardLane.AMD.library(card.emulator), new CardAddress.ByNumber(0), other)
                      .close())
          .isInstanceOf(CardException.class)
          .hasMessageContaining(said);
    }
  }
}
