// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.xrt;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.flowstone.offheap.NativeCallException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;

/**
 * The functions of XRT's C API that a tap needs, each failure a {@link NativeCallException} with
 * the call's arguments. As XRT declares them in {@code xrt/xrt_device.h}, {@code xrt_kernel.h} and
 * {@code xrt_bo.h}. Thread-safe as far as XRT is: a handle that is closed is nobody's any more.
 *
 * <p>None of the calls is marked critical: a copy from the card takes long, and a critical call
 * would hold up the garbage collector.
 */
@SuppressWarnings("restricted")
final class XrtCalls {
  static final long UUID_BYTES = 16;

  /** Memory of the card with as much of the host beside it. */
  private static final long NORMAL_BUFFER = 0;

  private static final int EIO = 5;
  private static final int NAMED_ARGUMENTS_OF_SET = 2;
  private static final Linker LINKER = Linker.nativeLinker();
  private static final MemoryLayout CALL_STATE = Linker.Option.captureStateLayout();
  private static final VarHandle ERRNO =
      CALL_STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));
  private static final Linker.Option CAPTURE_ERRNO = Linker.Option.captureCallState("errno");

  /**
   * What a call writes to beside its result. A thread has its own, so that nothing is allocated.
   */
  private static final ThreadLocal<Scratch> SCRATCH = ThreadLocal.withInitial(Scratch::new);

  /**
   * @param state takes errno
   * @param word takes a register
   */
  private record Scratch(MemorySegment state, MemorySegment word) {
    Scratch() {
      this(Arena.ofAuto().allocate(CALL_STATE), Arena.ofAuto().allocate(JAVA_INT));
    }
  }

  private final String library;
  private final SymbolLookup symbols;
  private final MethodHandle deviceOpen;
  private final MethodHandle deviceOpenByBdf;
  private final MethodHandle deviceClose;
  private final MethodHandle loadXclbinFile;
  private final MethodHandle xclbinUuid;
  private final MethodHandle kernelOpenExclusive;
  private final MethodHandle kernelClose;
  private final MethodHandle argumentGroup;
  private final MethodHandle argumentOffset;
  private final MethodHandle readRegister;
  private final MethodHandle writeRegister;
  private final MethodHandle runOpen;
  private final MethodHandle setBufferArgument;
  private final MethodHandle setIntArgument;
  private final MethodHandle runStart;
  private final MethodHandle runWaitFor;
  private final MethodHandle runClose;
  private final MethodHandle bufferAllocate;
  private final MethodHandle bufferFree;
  private final MethodHandle bufferSize;
  private final MethodHandle bufferAddress;
  private final MethodHandle bufferMap;
  private final MethodHandle bufferSync;

  XrtCalls(String library, SymbolLookup symbols) {
    this.library = library;
    this.symbols = symbols;
    deviceOpen = handle("xrtDeviceOpen", ADDRESS, JAVA_INT);
    deviceOpenByBdf = handle("xrtDeviceOpenByBDF", ADDRESS, ADDRESS);
    deviceClose = handle("xrtDeviceClose", JAVA_INT, ADDRESS);
    loadXclbinFile = handle("xrtDeviceLoadXclbinFile", JAVA_INT, ADDRESS, ADDRESS);
    xclbinUuid = handle("xrtDeviceGetXclbinUUID", JAVA_INT, ADDRESS, ADDRESS);
    kernelOpenExclusive = handle("xrtPLKernelOpenExclusive", ADDRESS, ADDRESS, ADDRESS, ADDRESS);
    kernelClose = handle("xrtKernelClose", JAVA_INT, ADDRESS);
    argumentGroup = handle("xrtKernelArgGroupId", JAVA_INT, ADDRESS, JAVA_INT);
    argumentOffset = handle("xrtKernelArgOffset", JAVA_INT, ADDRESS, JAVA_INT);
    readRegister = handle("xrtKernelReadRegister", JAVA_INT, ADDRESS, JAVA_INT, ADDRESS);
    writeRegister = handle("xrtKernelWriteRegister", JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT);
    runOpen = handle("xrtRunOpen", ADDRESS, ADDRESS);
    setBufferArgument = variadicHandle("xrtRunSetArg", JAVA_INT, ADDRESS, JAVA_INT, ADDRESS);
    setIntArgument = variadicHandle("xrtRunSetArg", JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT);
    runStart = handle("xrtRunStart", JAVA_INT, ADDRESS);
    runWaitFor = handle("xrtRunWaitFor", JAVA_INT, ADDRESS, JAVA_INT);
    runClose = handle("xrtRunClose", JAVA_INT, ADDRESS);
    bufferAllocate = handle("xrtBOAlloc", ADDRESS, ADDRESS, JAVA_LONG, JAVA_LONG, JAVA_INT);
    bufferFree = handle("xrtBOFree", JAVA_INT, ADDRESS);
    bufferSize = handle("xrtBOSize", JAVA_LONG, ADDRESS);
    bufferAddress = handle("xrtBOAddress", JAVA_LONG, ADDRESS);
    bufferMap = handle("xrtBOMap", ADDRESS, ADDRESS);
    bufferSync = handle("xrtBOSync", JAVA_INT, ADDRESS, JAVA_INT, JAVA_LONG, JAVA_LONG);
  }

  private MethodHandle handle(String name, ValueLayout result, ValueLayout... arguments) {
    return LINKER.downcallHandle(
        symbol(name), FunctionDescriptor.of(result, arguments), CAPTURE_ERRNO);
  }

  private MethodHandle variadicHandle(String name, ValueLayout result, ValueLayout... arguments) {
    return LINKER.downcallHandle(
        symbol(name),
        FunctionDescriptor.of(result, arguments),
        CAPTURE_ERRNO,
        Linker.Option.firstVariadicArg(NAMED_ARGUMENTS_OF_SET));
  }

  private MemorySegment symbol(String name) {
    return symbols
        .find(name)
        .orElseThrow(
            () ->
                new UnsatisfiedLinkError(
                    library + " has no " + name + ": XRT 2.13 (2022.1) or newer is needed"));
  }

  MemorySegment openDevice(int number) {
    MemorySegment state = SCRATCH.get().state();
    try {
      MemorySegment device = (MemorySegment) deviceOpen.invokeExact(state, number);
      return there(device, state, "xrtDeviceOpen(" + number + ")");
    } catch (Throwable e) {
      throw failed(e);
    }
  }

  MemorySegment openDevice(String busAddress) {
    MemorySegment state = SCRATCH.get().state();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment text = arena.allocateFrom(busAddress);
      MemorySegment device = (MemorySegment) deviceOpenByBdf.invokeExact(state, text);
      return there(device, state, "xrtDeviceOpenByBDF(" + busAddress + ")");
    } catch (Throwable e) {
      throw failed(e);
    }
  }

  void closeDevice(MemorySegment device) {
    MemorySegment state = SCRATCH.get().state();
    try {
      done((int) deviceClose.invokeExact(state, device), state, "xrtDeviceClose()");
    } catch (Throwable e) {
      throw failed(e);
    }
  }

  void loadXclbin(MemorySegment device, String file) {
    MemorySegment state = SCRATCH.get().state();
    try (Arena arena = Arena.ofConfined()) {
      int result = (int) loadXclbinFile.invokeExact(state, device, arena.allocateFrom(file));
      done(result, state, "xrtDeviceLoadXclbinFile(" + file + ")");
    } catch (Throwable e) {
      throw failed(e);
    }
  }

  byte[] xclbinUuid(MemorySegment device) {
    MemorySegment state = SCRATCH.get().state();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment uuid = arena.allocate(UUID_BYTES);
      done((int) xclbinUuid.invokeExact(state, device, uuid), state, "xrtDeviceGetXclbinUUID()");
      return uuid.toArray(ValueLayout.JAVA_BYTE);
    } catch (Throwable e) {
      throw failed(e);
    }
  }

  MemorySegment openKernel(MemorySegment device, byte[] uuid, String name) {
    MemorySegment state = SCRATCH.get().state();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment kernel =
          (MemorySegment)
              kernelOpenExclusive.invokeExact(
                  state,
                  device,
                  arena.allocateFrom(ValueLayout.JAVA_BYTE, uuid),
                  arena.allocateFrom(name));
      return there(kernel, state, "xrtPLKernelOpenExclusive(" + name + ")");
    } catch (Throwable e) {
      throw failed(e);
    }
  }

  void closeKernel(MemorySegment kernel) {
    MemorySegment state = SCRATCH.get().state();
    try {
      done((int) kernelClose.invokeExact(state, kernel), state, "xrtKernelClose()");
    } catch (Throwable e) {
      throw failed(e);
    }
  }

  int argumentGroup(MemorySegment kernel, int argument) {
    MemorySegment state = SCRATCH.get().state();
    try {
      int group = (int) argumentGroup.invokeExact(state, kernel, argument);
      if (group < 0) {
        throw failure(group, state, "xrtKernelArgGroupId(" + argument + ")");
      }
      return group;
    } catch (Throwable e) {
      throw failed(e);
    }
  }

  int argumentOffset(MemorySegment kernel, int argument) {
    MemorySegment state = SCRATCH.get().state();
    try {
      return (int) argumentOffset.invokeExact(state, kernel, argument);
    } catch (Throwable e) {
      throw failed(e);
    }
  }

  int readRegister(MemorySegment kernel, int offset) {
    Scratch scratch = SCRATCH.get();
    try {
      int result = (int) readRegister.invokeExact(scratch.state(), kernel, offset, scratch.word());
      if (result != 0) {
        throw failure(result, scratch.state(), "xrtKernelReadRegister(0x%x)".formatted(offset));
      }
      return scratch.word().get(JAVA_INT, 0);
    } catch (Throwable e) {
      throw failed(e);
    }
  }

  void writeRegister(MemorySegment kernel, int offset, int value) {
    MemorySegment state = SCRATCH.get().state();
    try {
      int result = (int) writeRegister.invokeExact(state, kernel, offset, value);
      if (result != 0) {
        throw failure(result, state, "xrtKernelWriteRegister(0x%x, 0x%x)".formatted(offset, value));
      }
    } catch (Throwable e) {
      throw failed(e);
    }
  }

  MemorySegment openRun(MemorySegment kernel) {
    MemorySegment state = SCRATCH.get().state();
    try {
      return there((MemorySegment) runOpen.invokeExact(state, kernel), state, "xrtRunOpen()");
    } catch (Throwable e) {
      throw failed(e);
    }
  }

  void setBufferArgument(MemorySegment run, int argument, MemorySegment buffer) {
    MemorySegment state = SCRATCH.get().state();
    try {
      int result = (int) setBufferArgument.invokeExact(state, run, argument, buffer);
      done(result, state, "xrtRunSetArg(" + argument + ", a buffer)");
    } catch (Throwable e) {
      throw failed(e);
    }
  }

  void setIntArgument(MemorySegment run, int argument, int value) {
    MemorySegment state = SCRATCH.get().state();
    try {
      int result = (int) setIntArgument.invokeExact(state, run, argument, value);
      done(result, state, "xrtRunSetArg(" + argument + ", " + value + ")");
    } catch (Throwable e) {
      throw failed(e);
    }
  }

  void startRun(MemorySegment run) {
    MemorySegment state = SCRATCH.get().state();
    try {
      done((int) runStart.invokeExact(state, run), state, "xrtRunStart()");
    } catch (Throwable e) {
      throw failed(e);
    }
  }

  int waitForRun(MemorySegment run, int timeoutMs) {
    MemorySegment state = SCRATCH.get().state();
    try {
      return (int) runWaitFor.invokeExact(state, run, timeoutMs);
    } catch (Throwable e) {
      throw failed(e);
    }
  }

  void closeRun(MemorySegment run) {
    MemorySegment state = SCRATCH.get().state();
    try {
      done((int) runClose.invokeExact(state, run), state, "xrtRunClose()");
    } catch (Throwable e) {
      throw failed(e);
    }
  }

  MemorySegment allocate(MemorySegment device, long sizeBytes, int group) {
    MemorySegment state = SCRATCH.get().state();
    try {
      MemorySegment buffer =
          (MemorySegment)
              bufferAllocate.invokeExact(state, device, sizeBytes, NORMAL_BUFFER, group);
      return there(
          buffer, state, "xrtBOAlloc(" + sizeBytes + " bytes, memory group " + group + ")");
    } catch (Throwable e) {
      throw failed(e);
    }
  }

  void free(MemorySegment buffer) {
    MemorySegment state = SCRATCH.get().state();
    try {
      done((int) bufferFree.invokeExact(state, buffer), state, "xrtBOFree()");
    } catch (Throwable e) {
      throw failed(e);
    }
  }

  long size(MemorySegment buffer) {
    MemorySegment state = SCRATCH.get().state();
    try {
      return (long) bufferSize.invokeExact(state, buffer);
    } catch (Throwable e) {
      throw failed(e);
    }
  }

  long address(MemorySegment buffer) {
    MemorySegment state = SCRATCH.get().state();
    try {
      return (long) bufferAddress.invokeExact(state, buffer);
    } catch (Throwable e) {
      throw failed(e);
    }
  }

  MemorySegment map(MemorySegment buffer) {
    MemorySegment state = SCRATCH.get().state();
    try {
      return there((MemorySegment) bufferMap.invokeExact(state, buffer), state, "xrtBOMap()");
    } catch (Throwable e) {
      throw failed(e);
    }
  }

  void sync(MemorySegment buffer, int direction, long sizeBytes, long offsetBytes) {
    MemorySegment state = SCRATCH.get().state();
    try {
      int result = (int) bufferSync.invokeExact(state, buffer, direction, sizeBytes, offsetBytes);
      if (result != 0) {
        throw failure(
            result,
            state,
            "xrtBOSync(%s, %d bytes at %d)"
                .formatted(
                    direction == XrtBuffer.FROM_DEVICE ? "from the card" : "to the card",
                    sizeBytes,
                    offsetBytes));
      }
    } catch (Throwable e) {
      throw failed(e);
    }
  }

  private static MemorySegment there(MemorySegment handle, MemorySegment state, String call) {
    if (handle.address() == 0) {
      throw failure(-1, state, call);
    }
    return handle;
  }

  private static void done(int result, MemorySegment state, String call) {
    if (result != 0) {
      throw failure(result, state, call);
    }
  }

  /** XRT gives an error number, or -1 and leaves the number in errno, or says no more than -1. */
  private static NativeCallException failure(int result, MemorySegment state, String call) {
    int errno = (int) ERRNO.get(state, 0L);
    int error = result == -1 ? (errno == 0 ? EIO : errno) : Math.abs(result);
    return new NativeCallException(call, error);
  }

  private static RuntimeException failed(Throwable cause) {
    if (cause instanceof NativeCallException expected) {
      return expected;
    }
    throw new LinkageError("call of XRT failed", cause);
  }
}
