// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.testbed.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion;
import dev.flowstone.results.JsonResult;
import java.util.Set;
import java.util.TreeSet;

/** Kinds of results, as the schema has them that readers go by. */
public final class PublishedKinds {
  private final JsonSchema schema =
      JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V202012).getSchema(JsonResult.schema());

  /** Fails for what the schema does not allow, of whatever kind. */
  public void require(JsonNode result) {
    assertThat(schema.validate(result)).as("%s", result).isEmpty();
  }

  /** Those that have a form of their own; a user's function may choose any other. */
  public Set<String> names() {
    Set<String> names = new TreeSet<>();
    for (JsonNode form : schema.getSchemaNode().get("$defs")) {
      JsonNode kind = form.path("properties").path("kind").path("const");
      if (kind.isTextual()) {
        names.add(kind.asText());
      }
    }
    return names;
  }
}
