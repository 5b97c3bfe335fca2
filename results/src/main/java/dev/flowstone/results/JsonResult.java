// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.results;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.function.BiConsumer;

/** A result as one line of JSON; {@link #schema} says what is in it. */
public final class JsonResult {
  private static final JsonFactory JSON = new JsonFactory();

  private JsonResult() {}

  /** The JSON schema of all kinds, of users' as well: docs/formats/results.schema.json. */
  public static InputStream schema() {
    return JsonResult.class.getResourceAsStream("results.schema.json");
  }

  /** Without an end of line. */
  public static String of(Result result) {
    StringWriter text = new StringWriter();
    try (JsonGenerator json = JSON.createGenerator(text)) {
      json.writeStartObject();
      json.writeStringField("kind", result.kind());
      json.writeNumberField("time_ns", result.timeNs());
      json.writeStringField("rule", result.rule().name());
      if (result.rule().hasFlowId()) {
        json.writeNumberField("flow_id", result.rule().flowId());
      }
      result.describe(new Fields(json));
      json.writeEndObject();
    } catch (IOException e) {
      throw new UncheckedIOException("to memory", e);
    }
    return text.toString();
  }

  /** As an array. */
  static <T> String ofList(List<T> items, BiConsumer<T, ResultFields> item) {
    StringWriter text = new StringWriter();
    try (JsonGenerator json = JSON.createGenerator(text)) {
      new Fields(json).items(items, item);
    } catch (IOException e) {
      throw new UncheckedIOException("to memory", e);
    }
    return text.toString();
  }

  private record Fields(JsonGenerator json) implements ResultFields {
    @FunctionalInterface
    private interface Writing {
      void write() throws IOException;
    }

    private static void write(Writing writing) {
      try {
        writing.write();
      } catch (IOException e) {
        throw new UncheckedIOException("to memory", e);
      }
    }

    @Override
    public void key(String name, String value) {
      text(name, value);
    }

    @Override
    public void key(String name, long value) {
      number(name, value);
    }

    @Override
    public void number(String name, long value) {
      write(() -> json.writeNumberField(name, value));
    }

    /** JSON has no word for what is not a number: null. */
    @Override
    public void number(String name, double value) {
      if (Double.isFinite(value)) {
        write(() -> json.writeNumberField(name, value));
      } else {
        write(() -> json.writeNullField(name));
      }
    }

    @Override
    public void text(String name, String value) {
      write(() -> json.writeStringField(name, value));
    }

    @Override
    public <T> void list(String name, List<T> items, BiConsumer<T, ResultFields> item) {
      write(() -> json.writeFieldName(name));
      items(items, item);
    }

    <T> void items(List<T> items, BiConsumer<T, ResultFields> item) {
      write(json::writeStartArray);
      for (T each : items) {
        write(json::writeStartObject);
        item.accept(each, this);
        write(json::writeEndObject);
      }
      write(json::writeEndArray);
    }
  }
}
