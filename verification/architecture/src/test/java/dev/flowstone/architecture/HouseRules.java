// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.architecture;

import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackage;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.properties.HasName;
import com.tngtech.archunit.lang.ArchRule;
import java.util.List;

/** What holds whatever module a class is in, and what libraries a module must do without. */
final class HouseRules {
  private static final String OFFHEAP = "dev.flowstone.offheap..";
  private static final String HARNESS = "dev.flowstone.harness..";
  private static final String RULES_TOPIC = "dev.flowstone.jobs.endpoints.rules..";
  private static final String FLINK = "org.apache.flink..";
  private static final String KAFKA = "org.apache.kafka..";

  static final ArchRule NATIVE_ACCESS_ONLY_IN_OFFHEAP =
      noClasses()
          .that()
          .resideOutsideOfPackage(OFFHEAP)
          .should()
          .dependOnClassesThat(
              nameMatching("java\\.lang\\.foreign\\.(Linker|SymbolLookup)(\\$.*)?"))
          .orShould()
          .callMethodWhere(
              target(owner(name("java.lang.foreign.MemorySegment")))
                  .and(target(name("reinterpret"))))
          .orShould()
          .callMethodWhere(
              target(owner(nameMatching("java\\.lang\\.(System|Runtime)")))
                  .and(target(nameMatching("load(Library)?"))))
          .because("native calls and memory live in one module, offheap");

  static final ArchRule NO_UNSAFE =
      noClasses()
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("sun.misc..", "jdk.internal..")
          .because("java.lang.foreign and VarHandle do the same with bounds checks");

  static final ArchRule PROCESSES_ARE_STARTED_WHERE_THEIR_END_IS_EXPLAINED =
      noClasses()
          .that()
          .resideOutsideOfPackage("dev.flowstone.processes..")
          .and()
          .doNotHaveFullyQualifiedName("dev.flowstone.deployment.Supervision")
          .should()
          .dependOnClassesThat(name("java.lang.ProcessBuilder"))
          .orShould()
          .callMethodWhere(target(owner(name("java.lang.Runtime"))).and(target(name("exec"))))
          .because(
              "the module processes reports how a process ended; only a supervisor outlives the"
                  + " command that starts it");

  static final DescribedPredicate<HasName> FLINK_IN_THIS_PROCESS =
      nameMatching("org\\.apache\\.flink\\.runtime\\.minicluster\\..*");

  static final DescribedPredicate<HasName> KAFKA_CONSUMER =
      nameMatching("org\\.apache\\.kafka\\.clients\\.consumer\\.KafkaConsumer");

  static final ArchRule CLUSTERS_ARE_STARTED_IN_THE_HARNESS =
      onlyIn(HARNESS, FLINK_IN_THIS_PROCESS)
          .because("Flink in this process listens on localhost alone and is closed in time");

  static final ArchRule MESSAGES_ARE_READ_BACK_IN_THE_HARNESS =
      onlyIn(List.of(HARNESS, RULES_TOPIC), KAFKA_CONSUMER)
          .because("what counts is what is committed; left to its defaults, a consumer shows more");

  static final ArchRule NAMES_SAY_WHAT_A_CLASS_IS =
      noClasses()
          .should()
          .haveNameMatching(".*(Util|Utils|Helper|Helpers|Manager|Impl)")
          .because("such a name says nothing about the class");

  static final ArchRule MODEL_USES_THE_JDK_ALONE =
      classes()
          .that()
          .resideInAPackage("dev.flowstone.model..")
          .should()
          .onlyDependOnClassesThat()
          .resideInAnyPackage("java..", "dev.flowstone.model..");

  static final ArchRule PROCESSES_USE_THE_JDK_ALONE =
      classes()
          .that()
          .resideInAPackage("dev.flowstone.processes..")
          .should()
          .onlyDependOnClassesThat()
          .resideInAnyPackage("java..", "com.sun.net.httpserver..", "dev.flowstone.processes..")
          .because("they stand on the class path of every child, whatever else does");

  static final ArchRule BROKER_PROCESS_USES_THE_JDK_ALONE =
      classes()
          .that()
          .resideInAPackage("dev.flowstone.broker.process..")
          .should()
          .onlyDependOnClassesThat()
          .resideInAnyPackage(
              "java..", "dev.flowstone.broker.process..", "dev.flowstone.processes..")
          .because("other modules use it without Kafka's server on their class path");

  static final ArchRule QUESTDB_PROCESS_USES_THE_JDK_ALONE =
      classes()
          .that()
          .resideInAPackage("dev.flowstone.questdb..")
          .should()
          .onlyDependOnClassesThat()
          .resideInAnyPackage("java..", "dev.flowstone.questdb..", "dev.flowstone.processes..")
          .because("other modules use it without QuestDB on their class path");

  static final ArchRule NO_FLINK_OUTSIDE_OF_JOBS_AND_CONNECTORS =
      noClasses()
          .that()
          .resideInAnyPackage(
              "dev.flowstone.model..",
              OFFHEAP,
              "dev.flowstone.raw..",
              "dev.flowstone.traffic..",
              "dev.flowstone.commandline..",
              "dev.flowstone.tap..",
              "dev.flowstone.rules..",
              "dev.flowstone.plan..",
              "dev.flowstone.broker..",
              "dev.flowstone.questdb..",
              "dev.flowstone.processes..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage(FLINK);

  static final ArchRule FORMAT_MEETS_FLINK_IN_ITS_FLINK_PACKAGE =
      noClasses()
          .that(
              resideInAPackage("dev.flowstone.format..")
                  .and(resideOutsideOfPackage("dev.flowstone.format.flink..")))
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(FLINK, "dev.flowstone.blocks..", "dev.flowstone.offheap..")
          .because("a consumer without Flink and native code unpacks packets as well");

  static final ArchRule BLOCKS_USE_FLINKS_TYPE_API =
      noClasses()
          .that()
          .resideInAPackage("dev.flowstone.blocks..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "org.apache.flink.streaming..",
              "org.apache.flink.connector..",
              "org.apache.flink.table..",
              "org.apache.flink.runtime..")
          .because("what flows between operators knows types, not operators");

  static final ArchRule NO_KAFKA_BEFORE_THE_SINK =
      noClasses()
          .that()
          .resideInAnyPackage(
              "dev.flowstone.model..",
              OFFHEAP,
              "dev.flowstone.raw..",
              "dev.flowstone.traffic..",
              "dev.flowstone.commandline..",
              "dev.flowstone.tap..",
              "dev.flowstone.rules..",
              "dev.flowstone.plan..",
              "dev.flowstone.blocks..",
              "dev.flowstone.connector.fpga..",
              "dev.flowstone.operators..",
              "dev.flowstone.format")
          .should()
          .dependOnClassesThat()
          .resideInAPackage(KAFKA);

  static final ArchRule PACKAGES_OF_A_JOB_READ_IN_ONE_ORDER =
      slices()
          .matching("dev.flowstone.jobs.(**)")
          .should()
          .beFreeOfCycles()
          .because("what is read first uses what is read later, never the other way");

  static final List<ArchRule> ALL =
      List.of(
          NATIVE_ACCESS_ONLY_IN_OFFHEAP,
          NO_UNSAFE,
          PROCESSES_ARE_STARTED_WHERE_THEIR_END_IS_EXPLAINED,
          CLUSTERS_ARE_STARTED_IN_THE_HARNESS,
          MESSAGES_ARE_READ_BACK_IN_THE_HARNESS,
          NAMES_SAY_WHAT_A_CLASS_IS,
          MODEL_USES_THE_JDK_ALONE,
          PROCESSES_USE_THE_JDK_ALONE,
          BROKER_PROCESS_USES_THE_JDK_ALONE,
          QUESTDB_PROCESS_USES_THE_JDK_ALONE,
          NO_FLINK_OUTSIDE_OF_JOBS_AND_CONNECTORS,
          FORMAT_MEETS_FLINK_IN_ITS_FLINK_PACKAGE,
          BLOCKS_USE_FLINKS_TYPE_API,
          NO_KAFKA_BEFORE_THE_SINK,
          PACKAGES_OF_A_JOB_READ_IN_ONE_ORDER);

  private HouseRules() {}

  static ArchRule onlyIn(String packages, DescribedPredicate<HasName> used) {
    return onlyIn(List.of(packages), used);
  }

  static ArchRule onlyIn(List<String> packages, DescribedPredicate<HasName> used) {
    return noClasses()
        .that()
        .resideOutsideOfPackages(packages.toArray(String[]::new))
        .should()
        .dependOnClassesThat(used);
  }
}
