// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.monitoring.page;

import com.sun.net.httpserver.Authenticator;
import dev.flowstone.commandline.Allowed;
import dev.flowstone.commandline.CommandRunner;
import dev.flowstone.commandline.SecretFile;
import dev.flowstone.harness.DemoAddresses;
import dev.flowstone.processes.TokenAuthenticator;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code ./flowstone page}: the pipeline as a picture in a browser. */
@Command(
    name = "page",
    mixinStandardHelpOptions = true,
    description =
        "Serves a page that shows where packets are: the pipeline as a picture, with rates and drops on"
            + " every edge, inter-arrival times, alerts, rules in force, and what went wrong. Without"
            + " options it shows the demo that runs here.",
    footer = {
      "",
      "Example:",
      "  ./flowstone page --flink http://localhost:8081 --rules rules.yaml"
    })
public final class PageCommand implements Callable<Integer> {
  private static final String USUAL_FLINK = "http://localhost:8081";
  private static final String TOKEN_FILE = "--token-file";
  private static final Path USUAL_RINGS = Path.of("/dev/shm/flowstone");

  @Option(
      names = "--flink",
      paramLabel = "URL",
      description =
          "Flink's web address. Default: that of the demo that runs here, else "
              + USUAL_FLINK
              + ".")
  private Optional<String> flink = Optional.empty();

  @Option(
      names = "--job",
      paramLabel = "JOB",
      description =
          "Name of the job, or how its id begins. Default: the one that runs, else the latest.")
  private Optional<String> job = Optional.empty();

  @Option(
      names = "--questdb",
      paramLabel = "URL",
      description = "QuestDB's HTTP address, for alerts and histograms. Default: the demo's.")
  private Optional<String> questDb = Optional.empty();

  @Mixin private QuestDbLoginOptions login;

  @Option(
      names = "--rings",
      paramLabel = "DIR",
      description =
          "Folder of ring files on this machine. May be repeated. Default: the demo's, else"
              + " /dev/shm/flowstone where there is one.")
  private List<Path> rings = List.of();

  @Option(
      names = "--rules",
      paramLabel = "FILE",
      description =
          "The file that the job has its rules from, so that the page can say what they do.")
  private Optional<Path> rules = Optional.empty();

  @Option(
      names = "--port",
      paramLabel = "PORT",
      defaultValue = "8090",
      description = "Where the page is; 0: any free one. Default ${DEFAULT-VALUE}.")
  @Allowed(from = "0", to = "65535")
  private int port = 8090;

  @Option(
      names = "--bind",
      paramLabel = "ADDRESS",
      defaultValue = PageServer.LOCALHOST,
      description = "Address of this machine at which the page is served. Default: localhost.")
  private String bind = PageServer.LOCALHOST;

  @Option(
      names = TOKEN_FILE,
      paramLabel = "FILE",
      description =
          "Only who knows the first line of this file sees the page: a browser asks for it as the"
              + " password of any user. Default: everybody who can reach the port.")
  private Optional<Path> tokenFile = Optional.empty();

  @Override
  public Integer call() throws Exception {
    Optional<DemoAddresses> demo = flink.isPresent() ? Optional.empty() : DemoAddresses.find();
    PagePlaces places = places(demo);
    try (PageServer server = PageServer.bind(bind, port)) {
      server.start(places, authenticator());
      demo.ifPresent(found -> System.err.println("showing the demo that runs here"));
      System.out.println("Page " + server.url() + "  of Flink at " + places.flink());
      // Until it is stopped: a signal ends this process.
      new CountDownLatch(1).await();
      return 0;
    }
  }

  private Optional<Authenticator> authenticator() throws IOException {
    return tokenFile.isEmpty()
        ? Optional.empty()
        : Optional.of(new TokenAuthenticator(SecretFile.firstLine(TOKEN_FILE, tokenFile.get())));
  }

  private PagePlaces places(Optional<DemoAddresses> demo) throws IOException {
    for (Path folder : rings) {
      if (!Files.isDirectory(folder)) {
        throw new IOException(
            "--rings: " + folder + ": no such folder; start a tap first (./flowstone tap --help)");
      }
    }
    if (questDb.filter(url -> url.contains("@")).isPresent()) {
      // Whoever looks at the page is told where QuestDB is.
      throw new IllegalArgumentException(
          "--questdb takes no user; use --questdb-user and --questdb-password-file");
    }
    Optional<String> store = questDb.or(() -> demo.map(DemoAddresses::questdb));
    return new PagePlaces(
        withoutSlash(flink.or(() -> demo.map(DemoAddresses::flink)).orElse(USUAL_FLINK)),
        job,
        store.map(PageCommand::withoutSlash),
        login.login(store.isPresent()),
        rings.isEmpty() ? usualRings(demo) : rings,
        rules);
  }

  private static List<Path> usualRings(Optional<DemoAddresses> demo) {
    return demo.map(found -> List.of(Path.of(found.rings())))
        .orElseGet(() -> Files.isDirectory(USUAL_RINGS) ? List.of(USUAL_RINGS) : List.of());
  }

  private static String withoutSlash(String url) {
    String whole = url.contains("://") ? url : "http://" + url;
    return whole.replaceAll("/+$", "");
  }

  public static void main(String[] arguments) {
    System.exit(CommandRunner.run(new PageCommand(), arguments));
  }
}
