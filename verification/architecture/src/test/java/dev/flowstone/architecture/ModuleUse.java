// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.architecture;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.lang.ArchRule;
import java.util.List;
import java.util.stream.Stream;

/**
 * One line of the dependency table of ARCHITECTURE.md.
 *
 * @param owner name of the package below dev.flowstone
 * @param mayUse the other packages below dev.flowstone that it may use
 */
record ModuleUse(String owner, List<String> mayUse) {

  private static final String ROOT = "dev.flowstone.";

  /** In a package of Flink's, which alone sees the metrics that its reporters have. */
  private static final String METRICS_REPORTER = "org.apache.flink.metrics.prometheus";

  static final List<ModuleUse> TABLE =
      List.of(
          use("abi"),
          use("model"),
          use("offheap", "model"),
          use("raw", "model"),
          use("traffic", "model", "raw"),
          use("commandline", "offheap"),
          use("tap", "model", "offheap", "raw", "traffic", "commandline", "rules", "processes"),
          use("rules", "model", "commandline"),
          use("plan", "model", "commandline"),
          use("blocks", "model", "offheap"),
          use("stages"),
          use("connector.fpga", "model", "offheap", "blocks", "stages"),
          use("results"),
          use(
              "operators",
              "model",
              "offheap",
              "blocks",
              "stages",
              "connector.fpga",
              "rules",
              "results"),
          use("format", "model", "offheap", "blocks", "stages"),
          use("jobs.entry"),
          use(
              "jobs.endpoints",
              "model",
              "offheap",
              "commandline",
              "blocks",
              "stages",
              "connector.fpga",
              "rules",
              "format",
              "results",
              "operators",
              "jobs.entry"),
          use(
              "jobs.platform",
              "model",
              "offheap",
              "blocks",
              "connector.fpga",
              "rules",
              "results",
              "operators",
              "format",
              "jobs.entry",
              "jobs.endpoints",
              "jobs.anomaly"),
          use(
              "jobs.sampling",
              "model",
              "offheap",
              "blocks",
              "connector.fpga",
              "rules",
              "results",
              "operators",
              "format",
              "jobs.entry",
              "jobs.endpoints"),
          use(
              "jobs.anomaly",
              "model",
              "offheap",
              "commandline",
              "blocks",
              "stages",
              "connector.fpga",
              "rules",
              "results",
              "operators",
              "jobs.entry",
              "jobs.endpoints"),
          use(
              "jobs.histogram",
              "model",
              "offheap",
              "commandline",
              "blocks",
              "connector.fpga",
              "rules",
              "results",
              "operators",
              "jobs.entry",
              "jobs.endpoints"),
          use("processes"),
          use("harness"),
          use("inspect", "model", "offheap", "raw", "tap", "commandline"),
          use("broker", "processes"),
          use("questdb", "processes"),
          use("monitoring", "model", "offheap", "commandline", "processes", "rules", "harness"),
          use(METRICS_REPORTER, "processes"),
          use(
              "deployment",
              "offheap",
              "commandline",
              "processes",
              "harness",
              "monitoring",
              "jobs.entry",
              "jobs.platform",
              "jobs.sampling",
              "jobs.histogram",
              "jobs.anomaly",
              "broker",
              "questdb"),
          use("sql.factories", "jobs.entry"),
          use(
              "sql.connector",
              "model",
              "offheap",
              "blocks",
              "connector.fpga",
              "rules",
              "format",
              "sql.factories"),
          use("sql.client", "offheap", "commandline", "harness"),
          use(
              "demo",
              "model",
              "offheap",
              "raw",
              "traffic",
              "commandline",
              "tap",
              "blocks",
              "connector.fpga",
              "rules",
              "results",
              "operators",
              "format",
              "jobs.endpoints",
              "jobs.platform",
              "processes",
              "harness",
              "monitoring",
              "broker",
              "questdb"));

  private static ModuleUse use(String owner, String... mayUse) {
    return new ModuleUse(owner, List.of(mayUse));
  }

  ArchRule rule() {
    String[] allowed =
        Stream.concat(Stream.of(packages()), mayUse.stream().map(ModuleUse::packages))
            .toArray(String[]::new);
    return classes()
        .that(resideInAPackage(packages()))
        .should()
        .onlyDependOnClassesThat(
            resideOutsideOfPackage("dev.flowstone..").or(resideInAnyPackage(allowed)))
        .because("ARCHITECTURE.md lets " + owner + " use of the project's packages only " + mayUse);
  }

  /** Every class of the project stands in a package of the table, so that no module escapes it. */
  static ArchRule everyClassIsInTheTable() {
    String[] known = TABLE.stream().map(ModuleUse::packages).toArray(String[]::new);
    return classes()
        .should()
        .resideInAnyPackage(known)
        .because("a new module needs a line in ARCHITECTURE.md and in ModuleUse.TABLE");
  }

  private String packages() {
    return packages(owner);
  }

  private static String packages(String name) {
    return (name.equals(METRICS_REPORTER) ? name : ROOT + name) + "..";
  }

  @Override
  public String toString() {
    return owner;
  }
}
