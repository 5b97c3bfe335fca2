// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.testbed.flink;

import java.util.ServiceLoader;
import org.apache.flink.table.factories.DeserializationFormatFactory;
import org.apache.flink.table.factories.DynamicTableSourceFactory;
import org.apache.flink.table.factories.Factory;
import org.apache.flink.table.factories.ModuleFactory;
import org.apache.flink.table.factories.SerializationFormatFactory;

/**
 * Asks Flowstone's factories, found as Flink finds them, for what they make, and prints for each
 * what it says to that. In Java 11, for which it is compiled where an older Java is to run it.
 */
public final class FactoriesAsked {
  private FactoriesAsked() {}

  private interface Question {
    void ask();
  }

  public static void main(String[] arguments) {
    ServiceLoader.load(Factory.class).stream()
        .filter(found -> found.type().getName().startsWith("dev.flowstone."))
        .map(ServiceLoader.Provider::get)
        .forEach(FactoriesAsked::ask);
  }

  @SuppressWarnings("PatternMatchingInstanceof") // Java 11 has none
  private static void ask(Factory factory) {
    if (factory instanceof DynamicTableSourceFactory) {
      print("table", () -> ((DynamicTableSourceFactory) factory).createDynamicTableSource(null));
    }
    if (factory instanceof DeserializationFormatFactory) {
      print(
          "read", () -> ((DeserializationFormatFactory) factory).createDecodingFormat(null, null));
    }
    if (factory instanceof SerializationFormatFactory) {
      print(
          "written", () -> ((SerializationFormatFactory) factory).createEncodingFormat(null, null));
    }
    if (factory instanceof ModuleFactory) {
      print("module", () -> ((ModuleFactory) factory).createModule(null));
    }
  }

  private static void print(String what, Question question) {
    try {
      question.ask();
      System.out.println(what + ": made");
    } catch (RuntimeException e) {
      System.out.println(what + ": " + e.getMessage());
    }
  }
}
