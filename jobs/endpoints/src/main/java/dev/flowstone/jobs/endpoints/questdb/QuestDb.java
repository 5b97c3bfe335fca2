// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints.questdb;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;
import java.util.regex.Pattern;

/** A QuestDB over HTTP: its line protocol and its SQL. One thread; its maker closes it. */
final class QuestDb implements AutoCloseable {
  private static final Duration CONNECT_LIMIT = Duration.ofSeconds(5);
  private static final Duration ANSWER_LIMIT = Duration.ofSeconds(30);
  private static final JsonFactory JSON = new JsonFactory();
  private static final int MOST_SAID = 300;

  /** The number is that of a line of the request, which nobody has seen. */
  private static final Pattern PREAMBLE =
      Pattern.compile("^failed to parse line protocol:[^:]*:\\s*(error in line \\d+: )?");

  private static final int OK = 200;
  private static final int END_OF_OK = 300;
  private static final int BAD_REQUEST = 400;
  private static final int UNAUTHORIZED = 401;
  private static final int FORBIDDEN = 403;
  private static final int NOT_FOUND = 404;
  private static final int INTERNAL_ERROR = 500;

  private final URI address;
  private final String authorization;
  private final HttpClient client;

  /**
   * A client; asks nothing yet.
   *
   * @param authorization what each request carries; may be empty
   */
  QuestDb(URI address, String authorization) {
    this.address = address;
    this.authorization = authorization;
    client =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(CONNECT_LIMIT)
            .build();
  }

  /** Takes all lines, or none of them. */
  void write(byte[] lines) throws StoreAwayException, RefusedException, InterruptedException {
    send(request("/write?precision=n").POST(BodyPublishers.ofByteArray(lines)));
  }

  void execute(String sql) throws StoreAwayException, RefusedException, InterruptedException {
    answerTo(sql);
  }

  /**
   * The rows of an answer, each with its values as texts and commas between them. Not by QuestDB's
   * export, of which it lets few connections have a part at a time.
   */
  List<String> ask(String sql) throws StoreAwayException, RefusedException, InterruptedException {
    String answer = answerTo(sql);
    try (JsonParser json = JSON.createParser(answer)) {
      json.nextToken();
      while (json.nextToken() == JsonToken.FIELD_NAME) {
        String name = json.currentName();
        json.nextToken();
        if (name.equals("dataset")) {
          return rows(json);
        }
        json.skipChildren();
      }
    } catch (IOException notJson) {
      // It is no answer then.
    }
    throw new RefusedException(
        "an answer without rows: " + shortened(answer), RefusedException.NO_LINE);
  }

  private static List<String> rows(JsonParser json) throws IOException {
    List<String> rows = new ArrayList<>();
    while (json.nextToken() == JsonToken.START_ARRAY) {
      StringJoiner values = new StringJoiner(",");
      while (json.nextToken() != JsonToken.END_ARRAY) {
        values.add(json.currentToken() == JsonToken.VALUE_NULL ? "" : json.getText());
      }
      rows.add(values.toString());
    }
    return rows;
  }

  private String answerTo(String sql)
      throws StoreAwayException, RefusedException, InterruptedException {
    return send(request("/exec?query=" + URLEncoder.encode(sql, UTF_8)));
  }

  private HttpRequest.Builder request(String path) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(address.resolve(path)).timeout(ANSWER_LIMIT);
    return authorization.isEmpty() ? request : request.header("Authorization", authorization);
  }

  private String send(HttpRequest.Builder request)
      throws StoreAwayException, RefusedException, InterruptedException {
    HttpResponse<String> answer;
    try {
      answer = client.send(request.build(), BodyHandlers.ofString());
    } catch (IOException e) {
      throw new StoreAwayException(
          "no QuestDB answers at %s (%s)"
              .formatted(
                  address, e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage()),
          e);
    }
    int status = answer.statusCode();
    if (status == BAD_REQUEST) {
      throw refusal(answer.body());
    }
    if (status < OK || status >= END_OF_OK) {
      String why =
          "%s answers with status %d%s: %s"
              .formatted(address, status, remedy(status), shortened(answer.body()));
      throw status == INTERNAL_ERROR ? new TableAwayException(why) : new StoreAwayException(why);
    }
    return answer.body();
  }

  private static String remedy(int status) {
    return switch (status) {
      case UNAUTHORIZED, FORBIDDEN ->
          " (check --questdb-user and --questdb-password-file, or --questdb-token-file)";
      case INTERNAL_ERROR -> " (docs/troubleshooting.md, \"QuestDB is away\")";
      case NOT_FOUND -> " (is that QuestDB's HTTP port, as --questdb says?)";
      default -> "";
    };
  }

  /** Lines are refused with "message" and "line", SQL with "error". */
  private static RefusedException refusal(String body) {
    String reason = body;
    int line = RefusedException.NO_LINE;
    try (JsonParser json = JSON.createParser(body)) {
      json.nextToken();
      while (json.nextToken() == JsonToken.FIELD_NAME) {
        String name = json.currentName();
        json.nextToken();
        if (name.equals("line")) {
          line = json.getIntValue() - 1;
        } else if (name.equals("message") || name.equals("error")) {
          reason = json.getText();
        }
        json.skipChildren();
      }
    } catch (IOException notJson) {
      // Then the body is the reason as it stands.
    }
    return new RefusedException(shortened(PREAMBLE.matcher(reason).replaceFirst("")), line);
  }

  private static String shortened(String said) {
    String line = said.strip().replace('\n', ' ').replace('\r', ' ');
    return line.length() > MOST_SAID ? line.substring(0, MOST_SAID) + "..." : line;
  }

  @Override
  public void close() {
    client.shutdownNow();
    client.close();
  }
}
