// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.histogram;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion;
import dev.flowstone.operators.histogram.HistogramResult;
import dev.flowstone.results.JsonResult;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;

/** What others rely on: the schema of results, and that the HdrHistogram library reads them. */
final class PublishedForm {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final JsonSchema schema =
      JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V202012).getSchema(JsonResult.schema());

  void require(HistogramResult result, String json) throws IOException, DataFormatException {
    assertThat(schema.validate(JSON.readTree(json))).as(json).isEmpty();
    ByteBuffer bytes = ByteBuffer.wrap(Base64.getDecoder().decode(result.histogram()));
    Histogram histogram = Histogram.decodeFromCompressedByteBuffer(bytes, 0);
    assertThat(histogram.getTotalCount() + result.sums().overflow())
        .as(json)
        .isEqualTo(result.count());
  }

  static Path root() {
    Path folder = Path.of("").toAbsolutePath();
    while (folder.getParent() != null && !Files.exists(folder.resolve("ARCHITECTURE.md"))) {
      folder = folder.getParent();
    }
    return folder;
  }
}
