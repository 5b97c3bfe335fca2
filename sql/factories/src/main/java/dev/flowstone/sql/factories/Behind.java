// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.sql.factories;

import dev.flowstone.jobs.entry.NeededJava;
import java.util.Set;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.table.factories.Factory;

/**
 * A factory that is found by its name on any Java, and the one behind it that needs a new one: all
 * of a Flink's factories are loaded whenever it looks for one of them.
 */
abstract class Behind<F extends Factory> implements Factory {
  private final String identifier;
  private final String className;
  private final Class<F> type;

  Behind(String identifier, String className, Class<F> type) {
    this.identifier = identifier;
    this.className = className;
    this.type = type;
  }

  /**
   * The one that does the work.
   *
   * @throws RuntimeException if this Java is too old for it
   */
  final F it() {
    NeededJava.require(Runtime.version());
    try {
      return Class.forName(className, true, getClass().getClassLoader())
          .asSubclass(type)
          .getDeclaredConstructor()
          .newInstance();
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(className + " is not beside its factory", e);
    }
  }

  @Override
  public final String factoryIdentifier() {
    return identifier;
  }

  @Override
  public final Set<ConfigOption<?>> requiredOptions() {
    return it().requiredOptions();
  }

  @Override
  public final Set<ConfigOption<?>> optionalOptions() {
    return it().optionalOptions();
  }
}
