// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap;

/** A system call failed; the message names the call, its arguments and the errno text. */
public final class NativeCallException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int errno;

  public NativeCallException(String call, int errno) {
    super(call + ": " + Posix.errorText(errno) + " (errno " + errno + ")");
    this.errno = errno;
  }

  public int errno() {
    return errno;
  }
}
