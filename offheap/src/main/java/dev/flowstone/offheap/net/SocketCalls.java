// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.net;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.flowstone.offheap.NativeCallException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.util.Optional;

/**
 * Socket calls of the C library, each failure a {@link NativeCallException} with the call's
 * arguments. Thread-safe.
 */
@SuppressWarnings("restricted")
final class SocketCalls {
  private static final int INTERRUPTED = 4;
  private static final int INTERFACE_NAME_BYTES = 16;
  private static final int PROT_READ_WRITE = 3;
  private static final int MAP_SHARED = 1;
  private static final long MAP_FAILED = -1;

  private static final Linker LINKER = Linker.nativeLinker();
  private static final MemoryLayout CALL_STATE = Linker.Option.captureStateLayout();
  private static final VarHandle ERRNO =
      CALL_STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));
  private static final Linker.Option CAPTURE_ERRNO = Linker.Option.captureCallState("errno");
  private static final SocketCalls INSTANCE = new SocketCalls();

  private final MethodHandle socket = handle("socket", JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT);
  private final MethodHandle setsockopt =
      handle("setsockopt", JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT);
  private final MethodHandle getsockopt =
      handle("getsockopt", JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS, ADDRESS);
  private final MethodHandle bind = handle("bind", JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT);
  private final MethodHandle getsockname =
      handle("getsockname", JAVA_INT, JAVA_INT, ADDRESS, ADDRESS);
  private final MethodHandle ifNameToIndex = handle("if_nametoindex", JAVA_INT, ADDRESS);
  private final MethodHandle ifIndexToName = handle("if_indextoname", ADDRESS, JAVA_INT, ADDRESS);
  private final MethodHandle poll = handle("poll", JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT);
  private final MethodHandle ioctl =
      variadicHandle("ioctl", 2, JAVA_INT, JAVA_INT, JAVA_LONG, ADDRESS);
  private final MethodHandle mmap =
      handle("mmap", ADDRESS, ADDRESS, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG);
  private final MethodHandle munmap = handle("munmap", JAVA_INT, ADDRESS, JAVA_LONG);
  private final MethodHandle close = handle("close", JAVA_INT, JAVA_INT);

  private SocketCalls() {}

  static SocketCalls instance() {
    return INSTANCE;
  }

  int socket(int domain, int type, int protocol) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(CALL_STATE);
      int fd = (int) socket.invokeExact(state, domain, type, protocol);
      return checked(fd, state, "socket(" + domain + ", " + type + ", " + protocol + ")");
    } catch (Throwable e) {
      throw failed(e);
    }
  }

  void setOption(int fd, int level, int option, MemorySegment value, String what) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(CALL_STATE);
      int result =
          (int) setsockopt.invokeExact(state, fd, level, option, value, (int) value.byteSize());
      checked(result, state, "setsockopt(" + level + ", " + option + ": " + what + ")");
    } catch (Throwable e) {
      throw failed(e);
    }
  }

  void getOption(int fd, int level, int option, MemorySegment value, String what) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(CALL_STATE);
      MemorySegment length = arena.allocateFrom(JAVA_INT, (int) value.byteSize());
      int result = (int) getsockopt.invokeExact(state, fd, level, option, value, length);
      checked(result, state, "getsockopt(" + level + ", " + option + ": " + what + ")");
    } catch (Throwable e) {
      throw failed(e);
    }
  }

  void bind(int fd, MemorySegment address, String what) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(CALL_STATE);
      int result = (int) bind.invokeExact(state, fd, address, (int) address.byteSize());
      checked(result, state, "bind(" + what + ")");
    } catch (Throwable e) {
      throw failed(e);
    }
  }

  void localAddress(int fd, MemorySegment address) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(CALL_STATE);
      MemorySegment length = arena.allocateFrom(JAVA_INT, (int) address.byteSize());
      int result = (int) getsockname.invokeExact(state, fd, address, length);
      checked(result, state, "getsockname()");
    } catch (Throwable e) {
      throw failed(e);
    }
  }

  int interfaceIndex(String name) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(CALL_STATE);
      int index = (int) ifNameToIndex.invokeExact(state, arena.allocateFrom(name));
      return checked(index == 0 ? -1 : index, state, "if_nametoindex(" + name + ")");
    } catch (Throwable e) {
      throw failed(e);
    }
  }

  /** The name of the interface with a number; none when there is no such interface. */
  Optional<String> interfaceName(int index) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(CALL_STATE);
      MemorySegment name = arena.allocate(INTERFACE_NAME_BYTES);
      MemorySegment found = (MemorySegment) ifIndexToName.invokeExact(state, index, name);
      return found.address() == 0 ? Optional.empty() : Optional.of(name.getString(0));
    } catch (Throwable e) {
      throw failed(e);
    }
  }

  /** Whether anything is ready; a signal counts as nothing. */
  boolean poll(MemorySegment request, int timeoutMs, String what) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(CALL_STATE);
      int ready = (int) poll.invokeExact(state, request, 1L, timeoutMs);
      if (ready < 0 && errno(state) == INTERRUPTED) {
        return false;
      }
      return checked(ready, state, "poll(" + what + ", " + timeoutMs + " ms)") > 0;
    } catch (Throwable e) {
      throw failed(e);
    }
  }

  /** A request about a network interface; the answer stands in the request. */
  void control(int fd, long request, MemorySegment argument, String what) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(CALL_STATE);
      checked((int) ioctl.invokeExact(state, fd, request, argument), state, "ioctl(" + what + ")");
    } catch (Throwable e) {
      throw failed(e);
    }
  }

  /** Maps a file descriptor for reading and writing, from its start. */
  MemorySegment mapShared(int fd, long bytes) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(CALL_STATE);
      MemorySegment mapping =
          (MemorySegment)
              mmap.invokeExact(
                  state, MemorySegment.NULL, bytes, PROT_READ_WRITE, MAP_SHARED, fd, 0L);
      checked(mapping.address() == MAP_FAILED ? -1 : 0, state, "mmap(" + bytes + " bytes)");
      return mapping.reinterpret(bytes);
    } catch (Throwable e) {
      throw failed(e);
    }
  }

  void unmap(MemorySegment mapping) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(CALL_STATE);
      int result = (int) munmap.invokeExact(state, mapping, mapping.byteSize());
      checked(result, state, "munmap(" + mapping.byteSize() + " bytes)");
    } catch (Throwable e) {
      throw failed(e);
    }
  }

  void close(int fd) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(CALL_STATE);
      checked((int) close.invokeExact(state, fd), state, "close(" + fd + ")");
    } catch (Throwable e) {
      throw failed(e);
    }
  }

  private static int checked(int result, MemorySegment state, String call) {
    if (result < 0) {
      throw new NativeCallException(call, errno(state));
    }
    return result;
  }

  private static int errno(MemorySegment state) {
    return (int) ERRNO.get(state, 0L);
  }

  private static RuntimeException failed(Throwable cause) {
    if (cause instanceof NativeCallException expected) {
      return expected;
    }
    throw new LinkageError("call of the C library failed", cause);
  }

  private static MethodHandle handle(String name, ValueLayout result, ValueLayout... arguments) {
    return LINKER.downcallHandle(
        symbol(name), FunctionDescriptor.of(result, arguments), CAPTURE_ERRNO);
  }

  private static MethodHandle variadicHandle(
      String name, int namedArguments, ValueLayout result, ValueLayout... arguments) {
    return LINKER.downcallHandle(
        symbol(name),
        FunctionDescriptor.of(result, arguments),
        CAPTURE_ERRNO,
        Linker.Option.firstVariadicArg(namedArguments));
  }

  private static MemorySegment symbol(String name) {
    return LINKER
        .defaultLookup()
        .find(name)
        .orElseThrow(() -> new UnsatisfiedLinkError("the C library has no " + name));
  }
}
