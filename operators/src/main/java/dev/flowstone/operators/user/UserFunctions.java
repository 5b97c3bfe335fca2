// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.user;

import dev.flowstone.blocks.InChainTypeInformation;
import dev.flowstone.operators.ruled.FunctionKind;
import dev.flowstone.operators.ruled.RuledBlock;
import dev.flowstone.operators.ruled.RulesCheck;
import dev.flowstone.operators.ruled.RulesInForce;
import dev.flowstone.results.Result;
import dev.flowstone.rules.function.UserFunction;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;

/** Puts users' functions into a job. */
public final class UserFunctions {
  private UserFunctions() {}

  /**
   * Results of the functions that rules name.
   *
   * @param folder of jars, on each machine that runs the job
   */
  public static SingleOutputStreamOperator<Result> of(
      DataStream<RuledBlock> packets, Path folder, String name) {
    return packets
        .transform(
            name,
            new InChainTypeInformation<>(Result.class),
            new UserFunctionOperator(folder.toAbsolutePath().toFile()))
        .setParallelism(packets.getParallelism());
  }

  /**
   * Refuses rules whose classes cannot be made where this is asked.
   *
   * @throws IllegalArgumentException if there is no such folder
   */
  public static RulesCheck check(Path folder) {
    File jars = folder.toAbsolutePath().toFile();
    FunctionJars.requireThere(jars);
    return rules -> requireAll(rules, jars);
  }

  /** Refuses rules that name a class: nobody said where jars are. */
  public static RulesCheck none() {
    return rules -> {
      for (int rule = 0; rule < rules.size(); rule++) {
        if (rules.kind(rule) == FunctionKind.USER) {
          throw new IllegalArgumentException(
              "rule "
                  + rules.tag(rule).name()
                  + " names a class: start the job with --functions DIR, the folder of its jar");
        }
      }
    };
  }

  private static void requireAll(RulesInForce rules, File folder) {
    ClassLoader parent = Thread.currentThread().getContextClassLoader();
    try (FunctionJars jars = FunctionJars.open(folder, parent)) {
      for (int rule = 0; rule < rules.size(); rule++) {
        if (rules.function(rule) instanceof UserFunction function) {
          require(jars, function, rules.tag(rule).name());
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(folder.toString(), e);
    }
  }

  private static void require(FunctionJars jars, UserFunction function, String rule) {
    try {
      jars.make(function);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("rule " + rule + ": " + e.getMessage(), e);
    }
  }
}
