// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.monitoring.page;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.flowstone.monitoring.TimelyHttp;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** QuestDB's HTTP interface, asked what is written in this package and nothing else. Any thread. */
final class QuestDb {
  private static final Duration ANSWER_LIMIT = Duration.ofSeconds(10);
  private static final int OK = 200;
  private static final int UNAUTHORIZED = 401;
  private static final int FORBIDDEN = 403;
  private static final ObjectMapper JSON = new ObjectMapper();

  private final TimelyHttp http = new TimelyHttp(ANSWER_LIMIT);
  private final String address;
  private final QuestDbLogin login;

  /**
   * @param address {@code http://HOST:PORT}
   */
  QuestDb(String address, QuestDbLogin login) {
    this.address = address;
    this.login = login;
  }

  String address() {
    return address;
  }

  /** Each row by its columns' names; none while nobody has written to such a table. */
  List<Map<String, JsonNode>> rows(String query) throws IOException, InterruptedException {
    HttpResponse<String> answer =
        get(
            URI.create(
                address + "/exec?query=" + URLEncoder.encode(query, StandardCharsets.UTF_8)));
    if (answer.statusCode() == UNAUTHORIZED || answer.statusCode() == FORBIDDEN) {
      throw new IOException(
          "QuestDB at %s does not let in who asks so (status %d): check --questdb-user and --questdb-password-file, or --questdb-token-file"
              .formatted(address, answer.statusCode()));
    }
    JsonNode said = JSON.readTree(answer.body());
    if (answer.statusCode() == OK) {
      return rows(said);
    }
    String error = said.path("error").asText();
    if (error.contains("table does not exist")) {
      return List.of();
    }
    throw new IOException("QuestDB at " + address + " refuses a query: " + error);
  }

  /** A text as SQL has it. */
  static String quoted(String text) {
    return "'" + text.replace("'", "''") + "'";
  }

  private HttpResponse<String> get(URI question) throws IOException, InterruptedException {
    HttpRequest.Builder request = HttpRequest.newBuilder(question);
    if (!login.authorization().isEmpty()) {
      request.header("Authorization", login.authorization());
    }
    try {
      return http.ask(request.build());
    } catch (IOException e) {
      throw new IOException("no QuestDB answers at " + address, e);
    }
  }

  private static List<Map<String, JsonNode>> rows(JsonNode answer) {
    List<Map<String, JsonNode>> rows = new ArrayList<>();
    for (JsonNode values : answer.path("dataset")) {
      Map<String, JsonNode> row = new LinkedHashMap<>();
      for (int i = 0; i < values.size(); i++) {
        row.put(answer.path("columns").path(i).path("name").asText(), values.get(i));
      }
      rows.add(row);
    }
    return rows;
  }
}
