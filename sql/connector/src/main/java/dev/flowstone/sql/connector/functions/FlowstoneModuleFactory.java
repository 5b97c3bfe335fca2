// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.sql.connector.functions;

import java.util.Set;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.table.factories.ModuleFactory;
import org.apache.flink.table.module.Module;

/** Knows {@link FlowstoneModule} by its name. */
public final class FlowstoneModuleFactory implements ModuleFactory {
  private static final String IDENTIFIER = "flowstone";

  @Override
  public String factoryIdentifier() {
    return IDENTIFIER;
  }

  @Override
  public Set<ConfigOption<?>> requiredOptions() {
    return Set.of();
  }

  @Override
  public Set<ConfigOption<?>> optionalOptions() {
    return Set.of();
  }

  @Override
  public Module createModule(Context context) {
    return new FlowstoneModule();
  }
}
