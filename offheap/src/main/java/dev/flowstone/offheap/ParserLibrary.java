// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.flowstone.model.abi.AbiDigest;
import dev.flowstone.model.abi.ScatterStop;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * The C++ packet parser (hw/model), called on batches, and its packer, which {@link RecordPacker}
 * is for. Stateless and thread-safe; lives as long as the JVM. The library travels inside the jar,
 * so that a job on a cluster brings its own.
 */
@SuppressWarnings("restricted")
public final class ParserLibrary {
  private static final ParserLibrary INSTANCE = new ParserLibrary(load());

  private final MethodHandle abiDigest;
  private final MethodHandle parse;
  private final MethodHandle scatter;
  private final MethodHandle packerBytes;
  private final MethodHandle secretNumbers;
  private final MethodHandle makePacker;
  private final MethodHandle beginPack;
  private final MethodHandle addToPack;
  private final MethodHandle endPack;
  private final MethodHandle bodyBytes;

  ParserLibrary(SymbolLookup library) {
    abiDigest = handle(library, "flowstone_abi_digest", FunctionDescriptor.of(JAVA_LONG));
    requireSameAbi();
    parse =
        handle(
            library,
            "flowstone_parse",
            FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS, JAVA_INT, JAVA_INT, ADDRESS));
    scatter =
        handle(
            library,
            "flowstone_scatter",
            FunctionDescriptor.of(
                JAVA_INT, ADDRESS, ADDRESS, JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT,
                ADDRESS, ADDRESS, ADDRESS));
    packerBytes =
        handle(library, "flowstone_packer_bytes", FunctionDescriptor.of(JAVA_LONG, JAVA_INT));
    secretNumbers =
        handle(library, "flowstone_packer_secret_numbers", FunctionDescriptor.of(JAVA_INT));
    makePacker =
        handle(
            library,
            "flowstone_packer_make",
            FunctionDescriptor.ofVoid(ADDRESS, JAVA_INT, ADDRESS));
    beginPack =
        handle(
            library,
            "flowstone_pack_begin",
            FunctionDescriptor.ofVoid(ADDRESS, JAVA_INT, JAVA_INT));
    addToPack =
        handle(
            library,
            "flowstone_pack_add",
            FunctionDescriptor.ofVoid(ADDRESS, ADDRESS, JAVA_INT, JAVA_LONG));
    endPack =
        handle(library, "flowstone_pack_end", FunctionDescriptor.of(JAVA_LONG, ADDRESS, ADDRESS));
    bodyBytes = handle(library, "flowstone_body_bytes", FunctionDescriptor.of(JAVA_LONG, JAVA_INT));
  }

  public static ParserLibrary instance() {
    return INSTANCE;
  }

  /**
   * Describes {@code count} raw packets, whose data offsets count from {@code base}, as packet
   * records, and returns how many it described.
   */
  public int parse(
      MemorySegment base,
      MemorySegment rawPackets,
      int count,
      ParserProfile profile,
      MemorySegment records) {
    try {
      return (int) parse.invokeExact(base, rawPackets, count, profile.number(), records);
    } catch (Throwable e) {
      throw failed("flowstone_parse", e);
    }
  }

  /**
   * Copies the records from {@code first} on into the rings that the table names for them, and
   * returns the index of the first that was not placed.
   *
   * @param firstUnmet the first that no call has looked at: those before it are counted as offered
   * @param stopRing a word that takes the ring of that one
   * @param stopReason a word that takes why it was not placed, a {@link ScatterStop}
   */
  public int scatter(
      MemorySegment rawPackets,
      MemorySegment records,
      int first,
      int firstUnmet,
      int count,
      MemorySegment keyGroupTable,
      int maxParallelism,
      MemorySegment ringTargets,
      MemorySegment stopRing,
      MemorySegment stopReason) {
    try {
      return (int)
          scatter.invokeExact(
              rawPackets,
              records,
              first,
              firstUnmet,
              count,
              keyGroupTable,
              maxParallelism,
              ringTargets,
              stopRing,
              stopReason);
    } catch (Throwable e) {
      throw failed("flowstone_scatter", e);
    }
  }

  /** Bytes of a packer for batches of up to so many packets, which begin at a multiple of 64. */
  long packerBytes(int maxPackets) {
    try {
      return (long) packerBytes.invokeExact(maxPackets);
    } catch (Throwable e) {
      throw failed("flowstone_packer_bytes", e);
    }
  }

  /** How many random numbers a packer is made with. */
  int secretNumbers() {
    try {
      return (int) secretNumbers.invokeExact();
    } catch (Throwable e) {
      throw failed("flowstone_packer_secret_numbers", e);
    }
  }

  void makePacker(MemorySegment packer, int maxPackets, MemorySegment secret) {
    try {
      makePacker.invokeExact(packer, maxPackets, secret);
    } catch (Throwable e) {
      throw failed("flowstone_packer_make", e);
    }
  }

  void beginPack(MemorySegment packer, int count, int timeBaseLow) {
    try {
      beginPack.invokeExact(packer, count, timeBaseLow);
    } catch (Throwable e) {
      throw failed("flowstone_pack_begin", e);
    }
  }

  /**
   * Adds records, which stay the same meanwhile: the next ones of those that were announced.
   *
   * @param upcoming address of the records after these, which is not read but asked for; 0: unknown
   */
  void addToPack(MemorySegment packer, MemorySegment records, int count, long upcoming) {
    try {
      addToPack.invokeExact(packer, records, count, upcoming);
    } catch (Throwable e) {
      throw failed("flowstone_pack_add", e);
    }
  }

  /** Writes the body and returns its length, or 0 where a record was no packet. */
  long endPack(MemorySegment packer, MemorySegment body) {
    try {
      return (long) endPack.invokeExact(packer, body);
    } catch (Throwable e) {
      throw failed("flowstone_pack_end", e);
    }
  }

  /** Room that a body of so many packets takes to write. */
  long bodyBytes(int packets) {
    try {
      return (long) bodyBytes.invokeExact(packets);
    } catch (Throwable e) {
      throw failed("flowstone_body_bytes", e);
    }
  }

  private void requireSameAbi() {
    long found;
    try {
      found = (long) abiDigest.invokeExact();
    } catch (Throwable e) {
      throw failed("flowstone_abi_digest", e);
    }
    if (found != AbiDigest.VALUE) {
      throw new UnsatisfiedLinkError(
          "the parser library was built from other layouts than this program (digests %016x and %016x): rebuild both with ./flowstone"
              .formatted(found, AbiDigest.VALUE));
    }
  }

  private static MethodHandle handle(
      SymbolLookup library, String name, FunctionDescriptor descriptor) {
    MemorySegment symbol =
        library
            .find(name)
            .orElseThrow(() -> new UnsatisfiedLinkError("the parser library has no " + name));
    return Linker.nativeLinker().downcallHandle(symbol, descriptor);
  }

  /**
   * dlopen by path, not System.load: every class loader of a Flink cluster may then have its own.
   */
  static SymbolLookup load() {
    String resource = "/dev/flowstone/parser/linux-" + architecture() + "/libflowstone_parser.so";
    try (InputStream bytes = ParserLibrary.class.getResourceAsStream(resource)) {
      if (bytes == null) {
        throw new UnsatisfiedLinkError(
            "no "
                + resource
                + " on the class path: build hw/model with ./flowstone, which needs a"
                + " C++ compiler (apt-get install g++ make)");
      }
      Path file = Files.createTempFile("flowstone-parser-", ".so");
      try {
        Files.copy(bytes, file, StandardCopyOption.REPLACE_EXISTING);
        return SymbolLookup.libraryLookup(file, Arena.global());
      } finally {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot unpack the parser library to java.io.tmpdir", e);
    }
  }

  private static String architecture() {
    String architecture = System.getProperty("os.arch");
    return architecture.equals("amd64") ? "x86_64" : architecture;
  }

  private static LinkageError failed(String call, Throwable cause) {
    return new LinkageError("call of " + call + " failed", cause);
  }
}
