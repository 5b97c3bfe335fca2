// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.sql.client;

import dev.flowstone.offheap.Reason;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.DeploymentOptions;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.configuration.RestOptions;
import org.apache.flink.table.client.cli.CliClient;
import org.apache.flink.table.client.cli.CliOptions.EmbeddedCliOptions;
import org.apache.flink.table.client.gateway.DefaultContextUtils;
import org.apache.flink.table.client.gateway.Executor;
import org.apache.flink.table.client.gateway.SingleSessionManager;
import org.apache.flink.table.client.gateway.SqlExecutionException;
import org.apache.flink.table.gateway.rest.util.SqlGatewayRestOptions;
import org.apache.flink.table.gateway.service.context.DefaultContext;
import org.apache.flink.util.NetUtils;
import org.jline.terminal.Terminal;

/**
 * Flink's SQL client, put together as Flink's own main class does, but without its command line,
 * which asks for the jar of PyFlink, forty megabytes, to parse options for functions in Python.
 */
final class SqlSession implements AutoCloseable {
  private static final Pattern OPTIONS = Pattern.compile("(?<= WITH) ?\\(");
  private static final String HOST = "localhost";
  private static final String SESSION = "default";
  private static final String REMOTE = "remote";
  private static final String PREFIX = "sql-gateway.endpoint.rest.";

  private final NetUtils.Port port;
  private final PatientGateway gateway;
  private final Executor executor;
  private boolean isClosed;

  /**
   * Starts the part that plans queries, in this process and on loopback alone.
   *
   * @param jars what tables need, also on the cluster
   * @param settings prevail over Flink's configuration
   */
  SqlSession(List<Path> jars, Properties settings) throws Exception {
    EmbeddedCliOptions options =
        new EmbeddedCliOptions(
            false,
            SESSION,
            null,
            null,
            null,
            jars.stream().map(Path::toUri).toList(),
            List.of(),
            new Configuration(),
            settings);
    DefaultContext context = DefaultContextUtils.buildDefaultContext(options);
    port = NetUtils.getAvailablePort();
    gateway = PatientGateway.start(ofGateway(context), new SingleSessionManager(context));
    executor =
        Executor.create(context, InetSocketAddress.createUnresolved(HOST, port.getPort()), SESSION);
    Runtime.getRuntime().addShutdownHook(new Thread(this::close, "close-session"));
  }

  private Configuration ofGateway(DefaultContext context) {
    Configuration configuration = context.getFlinkConfig();
    String free = Integer.toString(port.getPort());
    Map.of(
            SqlGatewayRestOptions.ADDRESS, HOST,
            SqlGatewayRestOptions.BIND_ADDRESS, HOST,
            SqlGatewayRestOptions.PORT, free,
            SqlGatewayRestOptions.BIND_PORT, free)
        .forEach((option, value) -> configuration.setString(PREFIX + option.key(), value));
    return configuration;
  }

  /** Where jobs go to a Flink that runs already. Others start one for themselves. */
  void requireFlink() throws IOException {
    ReadableConfig config = executor.getSessionConfig();
    if (REMOTE.equals(config.getOptional(DeploymentOptions.TARGET).orElse(REMOTE))) {
      new FlinkAddress(config.get(RestOptions.ADDRESS), config.get(RestOptions.PORT))
          .requireAnswer();
    }
  }

  /**
   * Runs a statement that every session begins with, and shows nothing of it.
   *
   * @throws IOException if it fails, and why
   */
  void begin(String statement) throws IOException {
    try {
      executor.configureSession(statement);
    } catch (SqlExecutionException e) {
      throw new IOException(Reason.ofRoot(e) + ", in: " + withoutOptions(statement), e);
    }
  }

  /** Among the options of a table are logins. */
  static String withoutOptions(String statement) {
    return OPTIONS.splitAsStream(statement).findFirst().orElseThrow();
  }

  /** What somebody types. */
  void talk(Path history) {
    try (CliClient client = new CliClient(CliClient.DEFAULT_TERMINAL_FACTORY, executor, history)) {
      client.executeInInteractiveMode();
    }
  }

  /** Runs a script to its end, or to a statement that fails; whether none did. */
  boolean run(Path script, Path history) {
    ScriptOutput output = new ScriptOutput(System.out);
    Supplier<Terminal> terminal = () -> ScriptTerminal.to(output);
    try (CliClient client = new CliClient(terminal, executor, history)) {
      client.executeInNonInteractiveMode(script.toAbsolutePath().toUri());
    }
    return !output.hasFailed();
  }

  /** Cancels what still runs for it. May be done twice: when the process is told to end, too. */
  @Override
  public synchronized void close() {
    if (!isClosed) {
      isClosed = true;
      executor.close();
      ending(gateway::stop);
      ending(port::close);
    }
  }

  private interface End {
    void come() throws Exception;
  }

  private static void ending(End end) {
    try {
      end.come();
    } catch (Exception e) {
      throw new IllegalStateException("a session does not end", e);
    }
  }
}
