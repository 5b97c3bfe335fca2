// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.monitoring.page;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpServer;
import dev.flowstone.monitoring.ClusterView;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;

/** Answers as Flink's REST interface does, of one job with a source and rules. */
final class ScriptedFlink implements AutoCloseable {
  private static final String OF_COORDINATOR = "/job/vertices/rules/jm-operator-metrics?get=";

  private final HttpServer server;
  private final Map<String, Long> rulesNews = new LinkedHashMap<>();
  private String jobs = "";
  private String jobId = "";
  private String taskManagers = "";
  private long runningMs;
  private long packets;
  private Runnable afterSource = () -> {};
  private final List<String> questions = new CopyOnWriteArrayList<>();

  ScriptedFlink() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          String asked =
              URLDecoder.decode("" + exchange.getRequestURI(), UTF_8)
                  .replace("/jobs/" + jobId, "/job");
          questions.add(asked);
          byte[] body = answer(asked).getBytes(UTF_8);
          exchange.sendResponseHeaders(200, body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    server.start();
  }

  private String answer(String asked) {
    return switch (asked) {
      case "/jobs/overview" -> "{\"jobs\": [" + jobs + "]}";
      case "/taskmanagers" -> "{\"taskmanagers\": [" + taskManagers + "]}";
      case "/jobmanager/config" ->
          "[{\"key\": \"metrics.fetcher.update-interval\", \"value\": \"1 s\"}]";
      case "/job" -> "{\"vertices\": [{\"id\": \"source\"}, {\"id\": \"rules\"}]}";
      case "/job/exceptions" -> "{}";
      case "/job/metrics?get=runningTime,numRestarts" ->
          metrics(Map.of("runningTime", runningMs, "numRestarts", 0L));
      case "/job/vertices/source/subtasks/metrics" -> ofSource();
      case "/job/vertices/rules/subtasks/metrics" -> ofRules();
      case "/job/vertices/rules/jm-operator-metrics" -> metrics(rulesNews);
      default -> ofStage(asked);
    };
  }

  private String ofStage(String asked) {
    if (asked.startsWith("/job/vertices/source/subtasks/metrics?agg=sum")) {
      String answer = ofSource();
      Runnable then = afterSource;
      afterSource = () -> {};
      then.run();
      return answer;
    }
    if (asked.startsWith("/job/vertices/rules/subtasks/metrics?agg=sum")) {
      return ofRules();
    }
    return asked.startsWith(OF_COORDINATOR) ? ofCoordinator(asked) : "[]";
  }

  private String ofCoordinator(String asked) {
    Map<String, Long> told = new LinkedHashMap<>(rulesNews);
    told.keySet().retainAll(List.of(asked.substring(OF_COORDINATOR.length()).split(",", -1)));
    return metrics(told);
  }

  private String ofSource() {
    return metrics(
        Map.of(
            "Source__rings.numBytesIn",
            64 * packets,
            "Source__rings.taprings.eth0.ring.0.packetsConsumed",
            packets));
  }

  private String ofRules() {
    return metrics(Map.of("Rules.packets", packets, "Rules.rule.web.packetsOfRule", packets));
  }

  /** What is asked for in one way is told as {@code value}, in another as {@code sum}. */
  private static String metrics(Map<String, Long> counts) {
    return counts.entrySet().stream()
        .map(
            each ->
                "{\"id\": \"%s\", \"value\": \"%d\", \"sum\": %d}"
                    .formatted(each.getKey(), each.getValue(), each.getValue()))
        .collect(Collectors.joining(",", "[", "]"));
  }

  ClusterView client() {
    return ClusterView.at("127.0.0.1:" + server.getAddress().getPort());
  }

  /** No other is there from now on. */
  void haveJob(String id, String state) {
    jobId = id;
    jobs =
        "{\"jid\": \"%s\", \"name\": \"the job\", \"state\": \"%s\", \"start-time\": 1000000}"
            .formatted(id, state);
  }

  void haveNoJob() {
    jobs = "";
  }

  /** No other is there from now on. */
  void haveTaskManager(String id, String place) {
    taskManagers =
        "{\"id\": \"%s\", \"path\": \"pekko.tcp://flink@%s/user/rpc/x\"}".formatted(id, place);
  }

  void count(long ms, long count) {
    runningMs = ms;
    packets = count;
  }

  /** Once, after the source's counters were read and before those of its rules. */
  void afterSource(Runnable action) {
    afterSource = action;
  }

  void tellOfRules(long version, long waiting, long refused) {
    rulesNews.put("Rules.rulesVersion", version);
    rulesNews.put("Rules.rulesWaiting", waiting);
    rulesNews.put("Rules.rulesRefused", refused);
  }

  /** Returns the paths that were asked for since the last call. */
  List<String> questions() {
    List<String> asked = List.copyOf(questions);
    questions.clear();
    return asked;
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
