// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.reference;

import dev.flowstone.deployment.job.JobCommand;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** All pages as they should be. */
final class Reference {
  /** The classes and files of a project do not change while this program runs. */
  private static final Map<Project, List<Page>> PAGES = new ConcurrentHashMap<>();

  private Reference() {}

  /** Returns the pages that follow from classes and files alone. */
  static List<Page> pages(Project project) {
    return PAGES.computeIfAbsent(project, Reference::generate);
  }

  private static List<Page> generate(Project project) {
    return List.of(
        new CommandsPage(project).page(),
        new JobsPage(project, CommandLines.of(JobCommand.class)).page(),
        new ConnectorsPage(project).page(),
        new EnvironmentPage(project).page());
  }

  /** For which jobs have to run. */
  static Page metrics(Project project) throws Exception {
    return new MetricsRun(project).run();
  }

  static List<Page> allPages(Project project) throws Exception {
    List<Page> all = new ArrayList<>(pages(project));
    all.add(metrics(project));
    return all;
  }
}
