// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.monitoring.page;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Answers queries as QuestDB does, with what a test says is in its tables. */
final class ScriptedStore implements AutoCloseable {
  private final HttpServer server;
  private final Map<String, ObjectNode> answers = new LinkedHashMap<>();
  private final List<String> asked = new ArrayList<>();
  private String authorization = "";

  ScriptedStore() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/exec",
        exchange -> {
          String query = URLDecoder.decode(exchange.getRequestURI().getRawQuery(), UTF_8);
          asked.add(query);
          String said = exchange.getRequestHeaders().getFirst("Authorization");
          if (!authorization.isEmpty() && !authorization.equals(said)) {
            // QuestDB says nothing in JSON then.
            exchange.sendResponseHeaders(401, -1);
            exchange.close();
            return;
          }
          ObjectNode answer =
              answers.entrySet().stream()
                  .filter(each -> query.contains(each.getKey()))
                  .map(Map.Entry::getValue)
                  .findFirst()
                  .orElse(null);
          byte[] body =
              (answer == null ? "{\"error\": \"table does not exist [table=x]\"}" : "" + answer)
                  .getBytes(UTF_8);
          exchange.sendResponseHeaders(answer == null ? 400 : 200, body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    server.start();
  }

  QuestDb client() {
    return client(QuestDbLogin.NONE);
  }

  QuestDb client(QuestDbLogin login) {
    return new QuestDb("http://127.0.0.1:" + server.getAddress().getPort(), login);
  }

  /** Nobody from now on who does not say that. */
  void letInWhoSays(String words) {
    authorization = words;
  }

  List<String> asked() {
    return asked;
  }

  /**
   * From now on.
   *
   * @param words by which a query is known
   */
  void answer(String words, List<String> columns, List<List<Object>> rows) {
    ObjectMapper json = new ObjectMapper();
    ObjectNode answer = json.createObjectNode();
    columns.forEach(column -> answer.withArray("columns").addObject().put("name", column));
    rows.forEach(row -> answer.withArray("dataset").add(json.valueToTree(row)));
    if (rows.isEmpty()) {
      answer.withArray("dataset");
    }
    answers.put(words, answer);
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
