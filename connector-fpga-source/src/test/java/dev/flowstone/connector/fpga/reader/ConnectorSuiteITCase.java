// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.reader;

import dev.flowstone.connector.fpga.TestTap;
import dev.flowstone.offheap.ring.RingDirectory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.connector.testframe.environment.MiniClusterTestEnvironment;
import org.apache.flink.connector.testframe.external.ExternalContextFactory;
import org.apache.flink.connector.testframe.external.ExternalSystemSplitDataWriter;
import org.apache.flink.connector.testframe.external.source.DataStreamSourceExternalContext;
import org.apache.flink.connector.testframe.external.source.TestingSourceSettings;
import org.apache.flink.connector.testframe.junit.annotations.TestContext;
import org.apache.flink.connector.testframe.junit.annotations.TestEnv;
import org.apache.flink.connector.testframe.junit.annotations.TestSemantics;
import org.apache.flink.connector.testframe.testsuites.SourceTestSuiteBase;
import org.apache.flink.core.execution.CheckpointingMode;

/** Flink's own suite for sources: each of its splits is a tap with one ring. */
class ConnectorSuiteITCase extends SourceTestSuiteBase<Integer> {
  private static final int SLOTS_LOG2 = 12;
  private static final int PACKETS = 200;

  @TestSemantics
  CheckpointingMode[] semantics = new CheckpointingMode[] {CheckpointingMode.EXACTLY_ONCE};

  @TestEnv MiniClusterTestEnvironment environment = new MiniClusterTestEnvironment();

  @TestContext ExternalContextFactory<Taps> taps = testName -> new Taps();

  /** Taps of one test case. */
  static final class Taps implements DataStreamSourceExternalContext<Integer> {
    private final ArrayList<String> directories = new ArrayList<>();
    private final List<TestTap> taps = new ArrayList<>();
    private int generated;

    @Override
    public Source<Integer, ?, ?> createSource(TestingSourceSettings settings) {
      return new PacketNumberSource(directories, isBounded(settings));
    }

    private static boolean isBounded(TestingSourceSettings settings) {
      return settings.getBoundedness() == Boundedness.BOUNDED;
    }

    @Override
    public ExternalSystemSplitDataWriter<Integer> createSourceSplitDataWriter(
        TestingSourceSettings settings) {
      Path directory = newDirectory();
      TestTap tap = new TestTap(directory, 1, SLOTS_LOG2);
      directories.add(directory.toString());
      taps.add(tap);
      return new ExternalSystemSplitDataWriter<>() {
        @Override
        public void writeRecords(List<Integer> numbers) {
          numbers.forEach(tap::writeNumber);
          if (isBounded(settings)) {
            tap.end();
          }
        }

        @Override
        public void close() {}
      };
    }

    private static Path newDirectory() {
      try {
        return Files.createTempDirectory("flowstone-suite-");
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    public List<Integer> generateTestData(
        TestingSourceSettings settings, int splitIndex, long seed) {
      List<Integer> numbers = new ArrayList<>();
      for (int i = 0; i < PACKETS; i++) {
        numbers.add(generated++);
      }
      return numbers;
    }

    @Override
    public TypeInformation<Integer> getProducedType() {
      return Types.INT;
    }

    @Override
    public List<URL> getConnectorJarPaths() {
      return List.of();
    }

    @Override
    public void close() {
      taps.forEach(TestTap::close);
      directories.forEach(directory -> new RingDirectory(Path.of(directory)).delete());
    }
  }
}
