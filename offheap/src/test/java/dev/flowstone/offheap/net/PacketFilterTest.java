// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.offheap.net.PacketFilter.Instruction;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PacketFilterTest {
  /** {@code tcpdump -ddd ip}, and the warning of another tcpdump. */
  private static final List<String> IP =
      List.of(
          "Warning: assuming Ethernet",
          "4",
          "40 0 0 12",
          "21 0 1 2048",
          "6 0 0 262144",
          "6 0 0 0",
          "");

  @Test
  void shouldReadWhatTcpdumpPrints() {
    assertThat(PacketFilter.parse(IP).instructions())
        .containsExactly(
            new Instruction(40, 0, 0, 12),
            new Instruction(21, 0, 1, 2048),
            new Instruction(6, 0, 0, 262144),
            new Instruction(6, 0, 0, 0));
  }

  /** Where the kernel keeps a VLAN tag, for one. */
  @Test
  void shouldKeepUnsignedNumbers() {
    PacketFilter filter = PacketFilter.parse(List.of("1", "48 255 254 4294963248"));
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment program = filter.write(arena);
      assertThat(program.get(ValueLayout.JAVA_SHORT, 0)).isEqualTo((short) 1);
      MemorySegment code = MemorySegment.ofAddress(program.get(ValueLayout.JAVA_LONG, 8));
      assertThat(code.address()).isNotZero();
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment code = arena.allocate(8, 4);
      filter.instructions().getFirst().write(code, 0);
      assertThat(Instruction.read(code, 0)).isEqualTo(new Instruction(48, 255, 254, 4294963248L));
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "hello; no number of instructions",
        "2,6 0 0 0; 1 instructions where there should be 2",
        "1,6 0 0; four numbers: 6 0 0",
        "1,6 0 0 4294967296; no instruction of a packet filter: 6 0 0 4294967296",
        "1,65536 0 0 0; no instruction of a packet filter",
        "1,6 256 0 0; no instruction of a packet filter",
        "1,6 0 0 99999999999999999999; no instruction of a packet filter",
        "0; 1 to 4096 instructions: 0"
      })
  void shouldSayWhatIsNoProgram(String lines, String words) {
    assertThatThrownBy(() -> PacketFilter.parse(List.of(lines.split(",", -1))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(words);
  }

  @Test
  void shouldHoldNoMoreThanTheKernelTakes() {
    List<Instruction> tooMany = Collections.nCopies(4097, new Instruction(6, 0, 0, 0));
    assertThatThrownBy(() -> new PacketFilter(tooMany)).hasMessageContaining("4097");
  }
}
