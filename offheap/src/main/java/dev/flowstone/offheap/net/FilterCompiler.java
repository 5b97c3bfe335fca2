// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.net;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Makes packet filters of words as pcap-filter(7) has them, by libpcap where that is installed.
 * Thread-safe.
 *
 * <pre>
 *   struct bpf_program, 16 bytes: 0 instructions u32 | 8 their address
 * </pre>
 */
@SuppressWarnings("restricted")
public final class FilterCompiler {
  /** As Debian and as others name it. */
  private static final List<String> LIBRARIES = List.of("libpcap.so.0.8", "libpcap.so.1");

  /** Whole packets: a filter says how much of a packet is taken. */
  private static final int MOST_BYTES = 262_144;

  private static final int OPTIMIZE = 1;
  private static final int NETMASK_UNKNOWN = 0xFFFF_FFFF;
  private static final long PROGRAM_BYTES = 16;
  private static final long LONGEST_MESSAGE_BYTES = 256;

  private final MethodHandle openDead;
  private final MethodHandle compile;
  private final MethodHandle errorText;
  private final MethodHandle freeCode;
  private final MethodHandle close;

  private FilterCompiler(SymbolLookup library) {
    openDead =
        handle(library, "pcap_open_dead", FunctionDescriptor.of(ADDRESS, JAVA_INT, JAVA_INT));
    compile =
        handle(
            library,
            "pcap_compile",
            FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS, ADDRESS, JAVA_INT, JAVA_INT));
    errorText = handle(library, "pcap_geterr", FunctionDescriptor.of(ADDRESS, ADDRESS));
    freeCode = handle(library, "pcap_freecode", FunctionDescriptor.ofVoid(ADDRESS));
    close = handle(library, "pcap_close", FunctionDescriptor.ofVoid(ADDRESS));
  }

  /** The one of this machine; empty where libpcap is not installed. */
  public static Optional<FilterCompiler> find() {
    for (String name : LIBRARIES) {
      try {
        return Optional.of(new FilterCompiler(SymbolLookup.libraryLookup(name, Arena.global())));
      } catch (IllegalArgumentException notThere) {
        // Perhaps by its other name.
      }
    }
    return Optional.empty();
  }

  /**
   * The program for frames of a link type.
   *
   * @param linkType how frames begin, as capture files number it
   * @throws IllegalArgumentException with libpcap's own words if that is no filter
   */
  public PacketFilter compile(String expression, int linkType) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment capture = (MemorySegment) openDead.invokeExact(linkType, MOST_BYTES);
      try {
        return compile(arena, capture, expression);
      } finally {
        close.invokeExact(capture);
      }
    } catch (IllegalArgumentException noFilter) {
      throw noFilter;
    } catch (Throwable e) {
      throw new LinkageError("call of libpcap failed", e);
    }
  }

  private PacketFilter compile(Arena arena, MemorySegment capture, String expression)
      throws Throwable {
    MemorySegment program = arena.allocate(PROGRAM_BYTES, Long.BYTES);
    MemorySegment words = arena.allocateFrom(expression);
    int result = (int) compile.invokeExact(capture, program, words, OPTIMIZE, NETMASK_UNKNOWN);
    if (result != 0) {
      MemorySegment text = (MemorySegment) errorText.invokeExact(capture);
      throw new IllegalArgumentException(text.reinterpret(LONGEST_MESSAGE_BYTES).getString(0));
    }
    try {
      return read(program);
    } finally {
      freeCode.invokeExact(program);
    }
  }

  private static PacketFilter read(MemorySegment program) {
    int count = program.get(JAVA_INT, 0);
    if (count < 1 || count > PacketFilter.MOST_INSTRUCTIONS) {
      throw new IllegalArgumentException(
          "too long: "
              + Integer.toUnsignedString(count)
              + " instructions, and the kernel takes "
              + PacketFilter.MOST_INSTRUCTIONS);
    }
    MemorySegment code =
        program.get(ADDRESS, Long.BYTES).reinterpret((long) count * PacketFilter.INSTRUCTION_BYTES);
    List<PacketFilter.Instruction> instructions = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      instructions.add(
          PacketFilter.Instruction.read(code, (long) i * PacketFilter.INSTRUCTION_BYTES));
    }
    return new PacketFilter(instructions);
  }

  private static MethodHandle handle(
      SymbolLookup library, String name, FunctionDescriptor descriptor) {
    MemorySegment symbol =
        library.find(name).orElseThrow(() -> new UnsatisfiedLinkError("libpcap has no " + name));
    return Linker.nativeLinker().downcallHandle(symbol, descriptor);
  }
}
