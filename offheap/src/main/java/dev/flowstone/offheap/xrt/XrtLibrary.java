// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.xrt;

import dev.flowstone.offheap.Posix;
import java.lang.foreign.Arena;
import java.lang.foreign.SymbolLookup;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A library with XRT's native C API: AMD's own, or one that does the same with an emulated card.
 * Thread-safe; lives as long as the JVM, since it keeps threads and static objects of its own.
 */
@SuppressWarnings("restricted")
public final class XrtLibrary {
  /** What AMD's packages and Debian's libxrt1 install. */
  public static final String AMD = "libxrt_coreutil.so.2";

  /** Where AMD's library looks for the part below it. */
  private static final String AMD_ROOT = "XILINX_XRT";

  private static final String LOWER_HALF = "lib/libxrt_core.so.2";

  private final String name;
  private final XrtCalls calls;

  private XrtLibrary(String name, SymbolLookup symbols) {
    this.name = name;
    calls = new XrtCalls(name, symbols);
  }

  /**
   * Loads a library by its file, or by its name where the loader finds it.
   *
   * @throws UnsatisfiedLinkError if there is none, it lacks a function, or AMD's is not set up
   */
  public static XrtLibrary load(String fileOrName) {
    SymbolLookup symbols = symbols(fileOrName);
    if (Path.of(fileOrName).getFileName().toString().equals(AMD)) {
      requireLowerHalf(fileOrName);
    }
    return new XrtLibrary(fileOrName, symbols);
  }

  /** AMD's library ends the whole process where it does not find it. */
  private static void requireLowerHalf(String library) {
    String root = System.getenv(AMD_ROOT);
    if (root == null || !Files.exists(Path.of(root, LOWER_HALF))) {
      throw new UnsatisfiedLinkError(
          "%s: XRT is not set up: %s: source /opt/xilinx/xrt/setup.sh, then start this again"
              .formatted(
                  library,
                  root == null
                      ? AMD_ROOT + " is not set"
                      : "%s is %s, where there is no %s".formatted(AMD_ROOT, root, LOWER_HALF)));
    }
  }

  private static SymbolLookup symbols(String fileOrName) {
    try {
      return fileOrName.contains("/")
          ? SymbolLookup.libraryLookup(Path.of(fileOrName).toAbsolutePath(), Arena.global())
          : SymbolLookup.libraryLookup(fileOrName, Arena.global());
    } catch (IllegalArgumentException notThere) {
      UnsatisfiedLinkError error =
          new UnsatisfiedLinkError(
              fileOrName
                  + ": cannot load XRT's library: install XRT (AMD's package, or Debian's libxrt1),"
                  + " or name the library with --xrt");
      error.initCause(notThere);
      throw error;
    }
  }

  /**
   * Loads AMD's library over another lower half than that of the machine. The first such call in a
   * process decides: AMD's library asks for the environment once.
   */
  public static XrtLibrary loadAmdOver(Path root) {
    Posix.setEnvironment(AMD_ROOT, root.toAbsolutePath().toString());
    return new XrtLibrary(AMD, symbols(AMD));
  }

  /** As it was asked for. */
  public String name() {
    return name;
  }

  /** Opens a card by its number. Whoever opens it closes it. */
  public XrtDevice open(int number) {
    return new XrtDevice(calls, calls.openDevice(number));
  }

  /** Opens a card by where it is on the bus, such as 0000:3b:00.1. Whoever opens it closes it. */
  public XrtDevice openByAddress(String busAddress) {
    return new XrtDevice(calls, calls.openDevice(busAddress));
  }
}
