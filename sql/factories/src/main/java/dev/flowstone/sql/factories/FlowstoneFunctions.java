// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.sql.factories;

import org.apache.flink.table.factories.ModuleFactory;
import org.apache.flink.table.module.Module;

/** {@code LOAD MODULE flowstone}. */
public final class FlowstoneFunctions extends Behind<ModuleFactory> implements ModuleFactory {
  public FlowstoneFunctions() {
    super(
        "flowstone",
        "dev.flowstone.sql.connector.functions.FlowstoneModuleFactory",
        ModuleFactory.class);
  }

  @Override
  public Module createModule(Context context) {
    return it().createModule(context);
  }
}
