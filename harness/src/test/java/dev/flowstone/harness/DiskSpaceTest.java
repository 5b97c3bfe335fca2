// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.harness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class DiskSpaceTest {
  private static final long MIB = 1 << 20;

  private final DiskSpace disk = new DiskSpace(Path.of("/data"), "ext4", 300 * MIB);

  @Test
  void namesTheFolderAndBothSizesAndTheRemedy() {
    assertThatCode(() -> disk.require(300 * MIB, "the rings", "")).doesNotThrowAnyException();
    assertThatThrownBy(() -> disk.require(300 * MIB + 1, "the rings", "choose smaller ones"))
        .isInstanceOf(IOException.class)
        .hasMessage("/data: the rings require 301 MiB, 300 MiB are free; choose smaller ones");
  }

  @Test
  void readsTheFileSystemOfTheFolder() throws Exception {
    assertThat(DiskSpace.of(Path.of("/dev/shm")).fileSystem()).isEqualTo("tmpfs");
  }
}
