// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.nio.file.Path;

/**
 * The few calls of the C library that Java does not offer: files with all their blocks allocated,
 * locks that belong to one descriptor, and page tables filled in advance. Thread-safe; every
 * failure is a {@link NativeCallException}.
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
  private static final int NO_MODE = 0;
  private static final int MADV_POPULATE_WRITE = 23;
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
  private static final MethodHandle ERROR_TEXT =
      handle("strerror", FunctionDescriptor.of(ADDRESS, JAVA_INT));

  private Posix() {}

  /**
   * Creates a file that did not exist, readable and writable by its owner alone, with every block
   * allocated: a later store into its mapping cannot fail for want of space.
   */
  public static void createAllocated(Path path, long sizeBytes) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(CALL_STATE);
      int flags = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC;
      int fd = (int) OPEN.invokeExact(state, arena.allocateFrom(path.toString()), flags, 0600);
      if (fd < 0) {
        throw new NativeCallException("open(" + path + ", O_CREAT | O_EXCL)", errno(state));
      }
      int allocateError = (int) ALLOCATE.invokeExact(fd, 0L, sizeBytes);
      int closeResult = (int) CLOSE.invokeExact(state, fd);
      if (allocateError != 0) {
        throw new NativeCallException(
            "posix_fallocate(" + path + ", " + sizeBytes + " bytes)", allocateError);
      }
      if (closeResult != 0) {
        throw new NativeCallException("close(" + path + ")", errno(state));
      }
    } catch (NativeCallException e) {
      throw e;
    } catch (Throwable e) {
      throw new LinkageError("call of the C library failed", e);
    }
  }

  static int openToRead(Path path) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(CALL_STATE);
      int fd =
          (int)
              OPEN.invokeExact(
                  state, arena.allocateFrom(path.toString()), O_RDONLY | O_CLOEXEC, NO_MODE);
      if (fd < 0) {
        throw new NativeCallException("open(" + path + ", O_RDONLY)", errno(state));
      }
      return fd;
    } catch (NativeCallException e) {
      throw e;
    } catch (Throwable e) {
      throw new LinkageError("call of the C library failed", e);
    }
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
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(CALL_STATE);
      if ((int) LOCK.invokeExact(state, fd, kind | LOCK_NB) == 0) {
        return true;
      }
      int errno = errno(state);
      if (errno != EWOULDBLOCK) {
        throw new NativeCallException("flock(" + path + ", LOCK_NB)", errno);
      }
      return false;
    } catch (NativeCallException e) {
      throw e;
    } catch (Throwable e) {
      throw new LinkageError("call of the C library failed", e);
    }
  }

  static void close(Path path, int fd) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(CALL_STATE);
      if ((int) CLOSE.invokeExact(state, fd) != 0) {
        throw new NativeCallException("close(" + path + ")", errno(state));
      }
    } catch (NativeCallException e) {
      throw e;
    } catch (Throwable e) {
      throw new LinkageError("call of the C library failed", e);
    }
  }

  /**
   * Fills the page tables of a writable mapping, so that the first lap through it costs no page
   * faults. Returns false where the kernel does not know how (before 5.14); nothing is lost then.
   */
  public static boolean populate(MemorySegment mapping) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(CALL_STATE);
      return (int) ADVISE.invokeExact(state, mapping, mapping.byteSize(), MADV_POPULATE_WRITE) == 0;
    } catch (Throwable e) {
      throw new LinkageError("call of the C library failed", e);
    }
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
