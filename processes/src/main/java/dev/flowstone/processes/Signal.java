// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.processes;

import java.util.Arrays;
import java.util.Optional;

/** The signals that end a process, with Linux's numbers, and what each says about its end. */
public enum Signal {
  HUP(1, "whoever it worked for is gone"),
  INT(2, "Ctrl-C"),
  QUIT(3, "somebody sent it"),
  ILL(4, "an instruction that this processor does not know"),
  ABRT(6, "it gave itself up"),
  BUS(
      7,
      "memory that it had mapped is gone: a file was cut short, or what holds it is full, such as"
          + " /dev/shm"),
  FPE(8, "a division by zero or its like"),
  KILL(9, "somebody killed it, or the kernel did because memory ran out: dmesg tells"),
  SEGV(11, "it touched memory that is not there"),
  PIPE(13, "nobody read on what it wrote"),
  TERM(15, "it was told to end");

  private final int number;
  private final String meaning;

  Signal(int number, String meaning) {
    this.number = number;
    this.meaning = meaning;
  }

  static Optional<Signal> of(int number) {
    return Arrays.stream(values()).filter(signal -> signal.number == number).findFirst();
  }

  static Optional<Signal> named(String name) {
    return Arrays.stream(values()).filter(signal -> signal.toString().equals(name)).findFirst();
  }

  public int number() {
    return number;
  }

  /** What it says about the process. */
  String meaning() {
    return meaning;
  }

  @Override
  public String toString() {
    return "SIG" + name();
  }
}
