// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.net;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * A program of the kernel's packet filter (classic BPF): what it refuses never reaches a socket,
 * and is not counted as dropped. A value.
 *
 * <pre>
 *   struct sock_filter, 8 bytes:  0 code u16 | 2 jump if true u8 | 3 jump if false u8 | 4 operand u32
 *   struct sock_fprog, 16 bytes:  0 instructions u16 | 8 their address
 * </pre>
 */
public record PacketFilter(List<Instruction> instructions) {
  /** As many as the kernel takes (BPF_MAXINSNS). */
  public static final int MOST_INSTRUCTIONS = 4096;

  static final int INSTRUCTION_BYTES = 8;
  private static final int PROGRAM_BYTES = 16;
  private static final int RETURN = 6;

  /** Lets no packet through. */
  static final PacketFilter NOTHING = new PacketFilter(List.of(new Instruction(RETURN, 0, 0, 0)));

  private static final long MOST_CODE = 0xFFFF;
  private static final long MOST_JUMP = 0xFF;
  private static final long MOST_OPERAND = 0xFFFF_FFFFL;

  /** One instruction, its numbers unsigned. */
  public record Instruction(int code, int jumpIfTrue, int jumpIfFalse, long operand) {
    public Instruction {
      if (!isWithin(code, MOST_CODE)
          || !isWithin(jumpIfTrue, MOST_JUMP)
          || !isWithin(jumpIfFalse, MOST_JUMP)
          || !isWithin(operand, MOST_OPERAND)) {
        throw new IllegalArgumentException(
            "no instruction of a packet filter: %d %d %d %d"
                .formatted(code, jumpIfTrue, jumpIfFalse, operand));
      }
    }

    private static boolean isWithin(long value, long most) {
      return value >= 0 && value <= most;
    }

    static Instruction read(MemorySegment memory, long offset) {
      return new Instruction(
          Short.toUnsignedInt(memory.get(JAVA_SHORT, offset)),
          Byte.toUnsignedInt(memory.get(JAVA_BYTE, offset + 2)),
          Byte.toUnsignedInt(memory.get(JAVA_BYTE, offset + 3)),
          Integer.toUnsignedLong(memory.get(JAVA_INT, offset + 4)));
    }

    void write(MemorySegment memory, long offset) {
      memory.set(JAVA_SHORT, offset, (short) code);
      memory.set(JAVA_BYTE, offset + 2, (byte) jumpIfTrue);
      memory.set(JAVA_BYTE, offset + 3, (byte) jumpIfFalse);
      memory.set(JAVA_INT, offset + 4, (int) operand);
    }
  }

  public PacketFilter {
    instructions = List.copyOf(instructions);
    if (instructions.isEmpty() || instructions.size() > MOST_INSTRUCTIONS) {
      throw new IllegalArgumentException(
          "a packet filter has 1 to "
              + MOST_INSTRUCTIONS
              + " instructions: "
              + instructions.size());
    }
  }

  /**
   * Reads what {@code tcpdump -ddd} prints: the number of instructions, then each as four numbers.
   * What it says besides, such as a warning, is passed over.
   */
  public static PacketFilter parse(List<String> lines) {
    List<String> program = lines.stream().filter(line -> line.matches("\\s*\\d[\\d\\s]*")).toList();
    if (program.isEmpty()) {
      throw new IllegalArgumentException("no number of instructions, which comes first");
    }
    List<Instruction> instructions = new ArrayList<>();
    program.stream().skip(1).forEach(line -> instructions.add(parse(line)));
    if (!program.getFirst().strip().equals(Integer.toString(instructions.size()))) {
      throw new IllegalArgumentException(
          instructions.size()
              + " instructions where there should be "
              + program.getFirst().strip());
    }
    return new PacketFilter(instructions);
  }

  private static Instruction parse(String line) {
    String[] numbers = line.strip().split("\\s+", -1);
    if (numbers.length != 4) {
      throw new IllegalArgumentException("an instruction has four numbers: " + line.strip());
    }
    try {
      return new Instruction(
          Integer.parseInt(numbers[0]),
          Integer.parseInt(numbers[1]),
          Integer.parseInt(numbers[2]),
          Long.parseLong(numbers[3]));
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("no instruction of a packet filter: " + line.strip(), e);
    }
  }

  /** The struct sock_fprog, and the instructions that it points to. */
  MemorySegment write(Arena arena) {
    MemorySegment code =
        arena.allocate((long) instructions.size() * INSTRUCTION_BYTES, Integer.BYTES);
    for (int i = 0; i < instructions.size(); i++) {
      instructions.get(i).write(code, (long) i * INSTRUCTION_BYTES);
    }
    MemorySegment program = arena.allocate(PROGRAM_BYTES, Long.BYTES);
    program.set(JAVA_SHORT, 0, (short) instructions.size());
    program.set(ADDRESS, Long.BYTES, code);
    return program;
  }
}
