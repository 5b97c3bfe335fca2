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
 * The C++ packet parser (hw/model), called on batches. Stateless and thread-safe; lives as long as
 * the JVM. The library travels inside the jar, so that a job on a cluster brings its own.
 */
@SuppressWarnings("restricted")
public final class ParserLibrary {
  private static final ParserLibrary INSTANCE = new ParserLibrary(load());

  private final MethodHandle abiDigest;
  private final MethodHandle parse;
  private final MethodHandle scatter;

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
