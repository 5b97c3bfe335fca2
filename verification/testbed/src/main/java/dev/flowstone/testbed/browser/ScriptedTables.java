// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.testbed.browser;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Answers queries as QuestDB does, with what a test says is in its tables. Whoever starts it closes
 * it. Any thread.
 */
public final class ScriptedTables implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final ScriptedServer server;
  private final Map<String, String> answers = new LinkedHashMap<>();

  public ScriptedTables() throws IOException {
    server = new ScriptedServer(query -> Optional.of(answer(query)));
  }

  public String url() {
    return server.url();
  }

  private synchronized String answer(String query) {
    return answers.entrySet().stream()
        .filter(each -> query.contains(each.getKey()))
        .map(Map.Entry::getValue)
        .findFirst()
        .orElse("{\"columns\": [], \"dataset\": []}");
  }

  /**
   * From now on.
   *
   * @param words by which a query is known
   * @param rows by the names of columns; what one has not is null
   */
  public synchronized void answer(String words, List<Map<String, Object>> rows) {
    Set<String> columns = new LinkedHashSet<>();
    rows.forEach(row -> columns.addAll(row.keySet()));
    ObjectNode answer = JSON.createObjectNode();
    columns.forEach(column -> answer.withArray("columns").addObject().put("name", column));
    rows.forEach(
        row ->
            answer
                .withArray("dataset")
                .add(JSON.valueToTree(columns.stream().map(row::get).toList())));
    answers.put(words, answer.toString());
  }

  @Override
  public void close() {
    server.close();
  }
}
