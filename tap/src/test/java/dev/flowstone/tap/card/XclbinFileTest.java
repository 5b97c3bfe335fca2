// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.card;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class XclbinFileTest {
  @TempDir Path folder;

  private static byte[] whole() throws IOException, InterruptedException {
    return Files.readAllBytes(new Emulator(BuiltEmulator.programs(), Path.of("")).xclbin());
  }

  private Path file(byte[] bytes) throws IOException {
    return Files.write(folder.resolve("made.xclbin"), bytes);
  }

  private static void requireRefused(Path file, String why) {
    assertThatThrownBy(() -> XclbinFile.require(file))
        .isInstanceOf(CardException.class)
        .hasMessageContaining(file + ": " + why);
  }

  @Test
  void shouldTakeAWholeOne() throws Exception {
    assertThatCode(() -> XclbinFile.require(file(whole()))).doesNotThrowAnyException();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 8, 455})
  void shouldRefuseWhatIsNoneYet(int bytes) throws Exception {
    requireRefused(file(Arrays.copyOf(whole(), bytes)), "is no xclbin");
  }

  @Test
  void shouldRefuseAnotherKindOfFile() throws Exception {
    byte[] bytes = whole();
    bytes[6] = '3';
    requireRefused(file(bytes), "is no xclbin");
  }

  @Test
  void shouldRefuseOneThatIsCut() throws Exception {
    byte[] bytes = whole();
    requireRefused(
        file(Arrays.copyOf(bytes, bytes.length - 1)),
        "is cut short: it has %,d of %,d bytes".formatted(bytes.length - 1, bytes.length));
  }

  @Test
  void shouldSayWhatCannotBeRead() {
    requireRefused(folder, "cannot be read");
    requireRefused(folder.resolve("none"), "cannot be read: no such file");
  }
}
