// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.sql.factories;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.ServiceLoader;
import org.apache.flink.table.factories.Factory;
import org.apache.flink.table.factories.ModuleFactory;
import org.junit.jupiter.api.Test;

class BehindTest {
  private static final int JAVA_11 = 55;

  /** Flink loads all factories that it finds, whatever it looks for. */
  @Test
  void shouldBeLoadedByAnOlderJava() throws IOException {
    List<Factory> found =
        ServiceLoader.load(Factory.class).stream()
            .filter(each -> each.type().getName().startsWith("dev.flowstone."))
            .map(ServiceLoader.Provider::get)
            .toList();
    assertThat(found)
        .extracting(Factory::factoryIdentifier)
        .containsExactlyInAnyOrder("fpga", "packets", "flowstone");
    for (Factory factory : found) {
      assertThat(classFileVersion(factory.getClass())).isEqualTo(JAVA_11);
    }
    assertThat(classFileVersion(Behind.class)).isEqualTo(JAVA_11);
  }

  private static int classFileVersion(Class<?> type) throws IOException {
    try (InputStream file = type.getResourceAsStream(type.getSimpleName() + ".class");
        DataInputStream data = new DataInputStream(file)) {
      data.readInt();
      data.readUnsignedShort();
      return data.readUnsignedShort();
    }
  }

  @Test
  void shouldSayWhatIsMissingBesideIt() {
    ModuleFactory functions = new FlowstoneFunctions();
    assertThatThrownBy(functions::requiredOptions)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("FlowstoneModuleFactory is not beside its factory");
  }
}
