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
  private final MethodHandle beginPacker;
  private final MethodHandle bodyBytes;
  private final MethodHandle pack;

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
    beginPacker =
        handle(
            library,
            "flowstone_packer_begin",
            FunctionDescriptor.ofVoid(ADDRESS, JAVA_INT, ADDRESS));
    bodyBytes = handle(library, "flowstone_body_bytes", FunctionDescriptor.of(JAVA_LONG, JAVA_INT));
    pack =
        handle(
            library,
            "flowstone_pack",
            FunctionDescriptor.of(
                JAVA_LONG, ADDRESS, ADDRESS, ADDRESS, JAVA_INT, JAVA_INT, ADDRESS));
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
   * returns the index of the first that was not placed. Where and why it stopped (ring, {@link
   * ScatterStop}) stands in the two words of {@code stop}.
   *
   * @param firstUnmet the first that no call has looked at: those before it are counted as offered
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
      MemorySegment stop) {
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
              stop,
              stop.asSlice(JAVA_INT.byteSize()));
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

  void beginPacker(MemorySegment packer, int maxPackets, MemorySegment secret) {
    try {
      beginPacker.invokeExact(packer, maxPackets, secret);
    } catch (Throwable e) {
      throw failed("flowstone_packer_begin", e);
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

  /**
   * Writes the body and returns its length, or 0 where a record is no packet.
   *
   * @param selection indexes of records, or {@link MemorySegment#NULL} for the first count of them
   */
  long pack(
      MemorySegment packer,
      MemorySegment records,
      MemorySegment selection,
      int count,
      int timeBaseLow,
      MemorySegment body) {
    try {
      return (long) pack.invokeExact(packer, records, selection, count, timeBaseLow, body);
    } catch (Throwable e) {
      throw failed("flowstone_pack", e);
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
  private static SymbolLookup load() {
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
