// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.suite;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.connector.fpga.FpgaSource;
import dev.flowstone.connector.fpga.FpgaSourceBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.connector.testframe.external.ExternalSystemSplitDataWriter;
import org.apache.flink.connector.testframe.external.source.DataStreamSourceExternalContext;
import org.apache.flink.connector.testframe.external.source.TestingSourceSettings;

/** The rings of one test case of Flink's suite: split n is ring n of one tap in shared memory. */
final class RingSource implements DataStreamSourceExternalContext<String> {
  private static final Path SHARED_MEMORY = Path.of("/dev/shm");
  private static final int PACKETS = 100;

  private final Path folder = newFolder();
  private final NumberTap tap = new NumberTap(folder);
  private final UnaryOperator<FpgaSourceBuilder> options;
  private boolean isBounded;
  private int splits;
  private int numbers;

  RingSource(UnaryOperator<FpgaSourceBuilder> options) {
    this.options = options;
  }

  private static Path newFolder() {
    try {
      return Files.createTempDirectory(SHARED_MEMORY, "flowstone-suite-");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public Source<String, ?, ?> createSource(TestingSourceSettings settings) {
    FpgaSourceBuilder source =
        options.apply(FpgaSource.builder().ringDirectory(folder).readerName("suite"));
    isBounded = settings.getBoundedness() == Boundedness.BOUNDED;
    return new PacketTexts((isBounded ? source.bounded() : source).build());
  }

  /** Ends the tap of a bounded case, whose packets are all written when the job is submitted. */
  void endIfBounded() {
    if (isBounded) {
      tap.end();
    }
  }

  @Override
  public ExternalSystemSplitDataWriter<String> createSourceSplitDataWriter(
      TestingSourceSettings settings) {
    int ring = splits++;
    return new ExternalSystemSplitDataWriter<>() {
      @Override
      public void writeRecords(List<String> texts) {
        for (String text : texts) {
          int number = Integer.parseInt(text.substring(text.indexOf(':') + 1));
          assertThat(text).isEqualTo(NumberTap.text(ring, number));
          tap.write(ring, number);
        }
      }

      @Override
      public void close() {}
    };
  }

  @Override
  public List<String> generateTestData(TestingSourceSettings settings, int split, long seed) {
    return IntStream.range(0, PACKETS).mapToObj(_ -> NumberTap.text(split, numbers++)).toList();
  }

  @Override
  public TypeInformation<String> getProducedType() {
    return Types.STRING;
  }

  @Override
  public List<URL> getConnectorJarPaths() {
    return List.of();
  }

  @Override
  public void close() {
    long dropped = tap.droppedPackets();
    tap.close();
    assertThat(dropped).isZero();
  }
}
