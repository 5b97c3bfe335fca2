// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.plan;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.flowstone.commandline.CommandRunner;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;

/** What the command says to options, and how it ends. */
record RunPlan(int status, String output, String errors) {
  static RunPlan of(String options) {
    System.setProperty("flowstone.home", Pages.ROOT.toString());
    PrintStream usualOut = System.out;
    PrintStream usualErr = System.err;
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    System.setOut(new PrintStream(out, true, UTF_8));
    System.setErr(new PrintStream(err, true, UTF_8));
    try {
      int status = CommandRunner.run(new PlanCommand(), options.strip().split("\\s+", -1));
      return new RunPlan(status, out.toString(UTF_8), err.toString(UTF_8));
    } finally {
      System.setOut(usualOut);
      System.setErr(usualErr);
    }
  }
}
