// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The few calls of the C library that Java does not offer: files with all their blocks allocated,
 * locks that belong to one descriptor, page tables filled in advance, memory that costs nothing
 * until it is touched, a terminal's size, the effective user. Thread-safe; every failure is a
 * {@link NativeCallException}.
 */
@SuppressWarnings("restricted")
public final class Posix {
  private static final int O_RDONLY = 0;
  private static final int O_RDWR = 2;
  private static final int O_CREAT = 0100;
  private static final int O_EXCL = 0200;
  private static final int O_CLOEXEC = 02000000;
  private static final int LOCK_SH = 1;
  private static final int LOCK_EX = 2;
  private static final int LOCK_NB = 4;
  private static final int EWOULDBLOCK = 11;
  private static final int OWNER_ONLY = 0600;
  private static final int NO_MODE = 0;
  private static final int MADV_HUGEPAGE = 14;
  private static final int MADV_POPULATE_WRITE = 23;
  private static final int PROT_READ_WRITE = 1 | 2;
  private static final int MAP_PRIVATE_ANONYMOUS_NORESERVE = 0x02 | 0x20 | 0x4000;
  private static final int NO_FILE = -1;
  private static final long MAP_FAILED = -1;
  private static final int OVERWRITE = 1;
  private static final long TIOCGWINSZ = 0x5413;

  /** struct winsize: rows, columns, and what nobody fills in. */
  private static final long WINDOW_SIZE_BYTES = 4 * JAVA_SHORT.byteSize();

  private static final long LONGEST_ERROR_TEXT_BYTES = 256;

  private static final Linker LINKER = Linker.nativeLinker();
  private static final SymbolLookup LIBRARY = LINKER.defaultLookup();
  private static final MemoryLayout CALL_STATE = Linker.Option.captureStateLayout();
  private static final VarHandle ERRNO =
      CALL_STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));
  private static final Linker.Option CAPTURE_ERRNO = Linker.Option.captureCallState("errno");

  private static final MethodHandle OPEN =
      handle(
          "open",
          FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT),
          CAPTURE_ERRNO,
          Linker.Option.firstVariadicArg(2));
  private static final MethodHandle CLOSE =
      handle("close", FunctionDescriptor.of(JAVA_INT, JAVA_INT), CAPTURE_ERRNO);
  private static final MethodHandle LOCK =
      handle("flock", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT), CAPTURE_ERRNO);
  private static final MethodHandle ALLOCATE =
      handle("posix_fallocate", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG));
  private static final MethodHandle ADVISE =
      handle(
          "madvise", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT), CAPTURE_ERRNO);
  private static final MethodHandle MAP =
      handle(
          "mmap",
          FunctionDescriptor.of(
              ADDRESS, ADDRESS, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG),
          CAPTURE_ERRNO);
  private static final MethodHandle UNMAP =
      handle("munmap", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_LONG), CAPTURE_ERRNO);
  private static final MethodHandle CONTROL =
      handle(
          "ioctl",
          FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, ADDRESS),
          Linker.Option.firstVariadicArg(2));
  private static final MethodHandle SET_ENVIRONMENT =
      handle("setenv", FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS, JAVA_INT), CAPTURE_ERRNO);
  private static final MethodHandle EFFECTIVE_USER =
      handle("geteuid", FunctionDescriptor.of(JAVA_INT));
  private static final MethodHandle ERROR_TEXT =
      handle("strerror", FunctionDescriptor.of(ADDRESS, JAVA_INT));

  private Posix() {}

  /** Calls that leave their error in errno. */
  @FunctionalInterface
  private interface Calls<R> {
    /**
     * @param arena for what the calls point to
     * @param state takes errno
     */
    R make(Arena arena, MemorySegment state) throws Throwable;
  }

  private static <R> R call(Calls<R> calls) {
    try (Arena arena = Arena.ofConfined()) {
      return calls.make(arena, arena.allocate(CALL_STATE));
    } catch (NativeCallException e) {
      throw e;
    } catch (Throwable e) {
      throw new LinkageError("call of the C library failed", e);
    }
  }

  /**
   * Creates a file that did not exist, readable and writable by its owner alone, with every block
   * allocated: a later store into its mapping cannot fail for want of space.
   */
  public static void createAllocated(Path path, long sizeBytes) {
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL, OWNER_ONLY);
    int error = call((_, _) -> (int) ALLOCATE.invokeExact(fd, 0L, sizeBytes));
    close(path, fd);
    if (error != 0) {
      throw new NativeCallException(
          "posix_fallocate(" + path + ", " + sizeBytes + " bytes)", error);
    }
  }

  static int openToRead(Path path) {
    return open(path, O_RDONLY, NO_MODE);
  }

  private static int open(Path path, int flags, int mode) {
    return call(
        (arena, state) -> {
          MemorySegment name = arena.allocateFrom(path.toString());
          int fd = (int) OPEN.invokeExact(state, name, flags | O_CLOEXEC, mode);
          if (fd < 0) {
            throw new NativeCallException("open(" + path + ")", errno(state));
          }
          return fd;
        });
  }

  /** Takes the lock for this descriptor alone. False: somebody else has locked the file. */
  static boolean tryLock(Path path, int fd) {
    return tryLock(path, fd, LOCK_EX);
  }

  /** Takes the lock beside others who do the same. False: somebody has it alone. */
  static boolean tryShare(Path path, int fd) {
    return tryLock(path, fd, LOCK_SH);
  }

  private static boolean tryLock(Path path, int fd, int kind) {
    return call(
        (_, state) -> {
          boolean isTaken = (int) LOCK.invokeExact(state, fd, kind | LOCK_NB) == 0;
          if (!isTaken && errno(state) != EWOULDBLOCK) {
            throw new NativeCallException("flock(" + path + ")", errno(state));
          }
          return isTaken;
        });
  }

  static void close(Path path, int fd) {
    call(
        (_, state) -> {
          if ((int) CLOSE.invokeExact(state, fd) != 0) {
            throw new NativeCallException("close(" + path + ")", errno(state));
          }
          return fd;
        });
  }

  /**
   * Fills the page tables of a writable mapping, so that the first lap through it costs no page
   * faults. Returns false where the kernel does not know how (before 5.14); nothing is lost then.
   */
  public static boolean populate(MemorySegment mapping) {
    return call(
        (_, state) ->
            (int) ADVISE.invokeExact(state, mapping, mapping.byteSize(), MADV_POPULATE_WRITE) == 0);
  }

  /** Zeroed memory that the kernel provides as it is touched; whoever maps it unmaps it. */
  static MemorySegment mapMemory(long sizeBytes) {
    return call(
        (_, state) -> {
          MemorySegment start =
              (MemorySegment)
                  MAP.invokeExact(
                      state,
                      MemorySegment.NULL,
                      sizeBytes,
                      PROT_READ_WRITE,
                      MAP_PRIVATE_ANONYMOUS_NORESERVE,
                      NO_FILE,
                      0L);
          if (start.address() == MAP_FAILED) {
            throw new NativeCallException("mmap(" + sizeBytes + " bytes)", errno(state));
          }
          return start;
        });
  }

  static void unmapMemory(MemorySegment start, long sizeBytes) {
    call(
        (_, state) -> {
          if ((int) UNMAP.invokeExact(state, start, sizeBytes) != 0) {
            throw new NativeCallException("munmap(" + sizeBytes + " bytes)", errno(state));
          }
          return 0;
        });
  }

  /**
   * Asks for huge pages, which make random access to much memory cheaper. Returns false where the
   * kernel has none; nothing but time is lost then.
   */
  static boolean adviseHugePages(MemorySegment start, long sizeBytes) {
    return call(
        (_, state) -> (int) ADVISE.invokeExact(state, start, sizeBytes, MADV_HUGEPAGE) == 0);
  }

  /** The window of a terminal; empty where the descriptor is something else. */
  static Optional<TerminalSize> terminalSize(int fd) {
    return call(
        (arena, _) -> {
          MemorySegment size = arena.allocate(WINDOW_SIZE_BYTES);
          return (int) CONTROL.invokeExact(fd, TIOCGWINSZ, size) == 0
              ? Optional.of(
                  new TerminalSize(
                      Short.toUnsignedInt(size.getAtIndex(JAVA_SHORT, 1)),
                      Short.toUnsignedInt(size.getAtIndex(JAVA_SHORT, 0))))
              : Optional.empty();
        });
  }

  /**
   * Sets a variable that native libraries of this process ask for; Java has its own copy of all.
   * Before threads of such libraries are there: setenv(3) and getenv(3) do not wait for each other.
   */
  public static void setEnvironment(String name, String value) {
    call(
        (arena, state) -> {
          int result =
              (int)
                  SET_ENVIRONMENT.invokeExact(
                      state, arena.allocateFrom(name), arena.allocateFrom(value), OVERWRITE);
          if (result != 0) {
            throw new NativeCallException("setenv(" + name + ")", errno(state));
          }
          return result;
        });
  }

  /** With whose rights this process works. */
  static int effectiveUser() {
    return call((_, _) -> (int) EFFECTIVE_USER.invokeExact());
  }

  static String errorText(int errno) {
    try {
      MemorySegment text = (MemorySegment) ERROR_TEXT.invokeExact(errno);
      return text.reinterpret(LONGEST_ERROR_TEXT_BYTES).getString(0);
    } catch (Throwable e) {
      throw new LinkageError("call of the C library failed", e);
    }
  }

  private static int errno(MemorySegment state) {
    return (int) ERRNO.get(state, 0L);
  }

  private static MethodHandle handle(
      String name, FunctionDescriptor descriptor, Linker.Option... options) {
    MemorySegment symbol =
        LIBRARY
            .find(name)
            .orElseThrow(() -> new UnsatisfiedLinkError("the C library has no " + name));
    return LINKER.downcallHandle(symbol, descriptor, options);
  }
}
