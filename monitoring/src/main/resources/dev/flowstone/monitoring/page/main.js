// SPDX-License-Identifier: Apache-2.0
// Asks for the state once a second and hands each part of it to what shows it.

import { clock, html, length, list, mark, number, say } from "./words.js";
import { ListEnd } from "./ends.js";
import { graphOf, lostIn } from "./graph.js";
import { Pipeline } from "./pipeline.js";
import { Gaps } from "./gaps.js";
import { showAlerts, showIncidents, showRules } from "./tables.js";

const INTERVAL_MS = 1000;
const LIMIT_MS = 8000;

const element = (id) => document.getElementById(id);
const pipeline = new Pipeline(element("picture"));
const gaps = new Gaps();
const ends = [...document.querySelectorAll(".scroll")].map((place) => new ListEnd(place));
let lastAnswerMs = Date.now();

const REMEDIES = {
  flink: "Is it running (./flowstone cluster status)? Another one is named with --flink URL.",
  questdb: "Alerts and inter-arrival times stand still until it does.",
  rings: "Counters of the rings stand still until they can.",
  rules: "What the rules mean is not known until it can.",
};

function problemsOf(state) {
  const problems = [];
  const add = (key, part) => {
    if (part.problem) {
      problems.push({ key, words: `Since ${clock(part.problem_since_ms)}: ${part.problem}. ${REMEDIES[key]}` });
    }
  };
  add("flink", state.flink);
  add("rings", state.rings);
  add("questdb", state.alerts.problem ? state.alerts : state.gaps);
  add("rules", state.rules);
  (state.flink.value?.problems ?? []).forEach((words, i) => problems.push({ key: `health${i}`, words }));
  (state.rings.value?.problems ?? []).forEach((words, i) => problems.push({ key: `ring${i}`, words }));
  (state.gaps.value?.problems ?? []).forEach((words, i) => problems.push({ key: `gaps${i}`, words }));
  return problems;
}

function showProblems(problems) {
  const parent = element("problems");
  parent.hidden = problems.length === 0;
  list(parent, problems, (each) => each.key, () => html("li"), (item, each) => say(item, each.words));
}

function showJob(state) {
  const view = state.flink.value;
  if (!view?.job) {
    say(element("job"), view ? "no job runs" : `asking Flink at ${state.flink.place}`);
    return;
  }
  const others = view.other_jobs.length;
  const words = [
    view.job.name,
    view.job.state.toLowerCase(),
    view.has_ended ? "" : `for ${length(view.running_ms)}`,
    view.restarts > 0 ? `started again ${number(view.restarts)} ${view.restarts === 1 ? "time" : "times"}` : "",
    managers(view.task_managers),
    others > 0 ? `${number(others)} other ${others === 1 ? "job" : "jobs"} at work` : "",
  ];
  say(element("job"), words.filter((each) => each).join(" · "));
}

const managers = (all) =>
  all.length === 0 ? "no TaskManager" : `${number(all.length)} ${all.length === 1 ? "TaskManager" : "TaskManagers"}`;

/** Whether packets are missing somewhere, in one line. */
function showVerdict(state) {
  const view = state.flink.value;
  const verdict = element("verdict");
  if (!view?.job || view.pairs.length === 0) {
    say(verdict, !view?.job ? "" : view.has_ended ? "ended; nobody has seen what its stages counted" : "no stage has counted anything yet");
    mark(verdict, { "data-state": "none" });
    return;
  }
  if (state.flink.problem) {
    say(verdict, "nothing newer is known of packets");
    mark(verdict, { "data-state": "none" });
    return;
  }
  const apart = view.pairs.filter((pair) => pair.verdict === "APART");
  const onTheWay = view.pairs.some((pair) => pair.verdict === "ON_THE_WAY");
  if (apart.length > 0) {
    say(verdict, `NOT BALANCED: ${apart.map((pair) => pair.words).join("; ")}`);
    mark(verdict, { "data-state": "bad" });
  } else if (view.has_ended && !view.is_reported) {
    say(verdict, "ended; what Flink saw last");
    mark(verdict, { "data-state": "none" });
  } else if (view.has_ended && view.job.state !== "FINISHED") {
    say(verdict, "ended while packets were on their way; what its stages reported last");
    mark(verdict, { "data-state": "none" });
  } else if (view.problems.length > 0) {
    say(verdict, `NOT HEALTHY: ${view.problems.join("; ")}`);
    mark(verdict, { "data-state": "bad" });
  } else {
    const lost = lostIn(graphOf(state));
    const words = onTheWay ? "every packet accounted for or on its way" : "every packet accounted for";
    say(verdict, lost > 0 ? `${words}; ${number(lost)} lost` : words);
    mark(verdict, { "data-state": lost > 0 ? "warn" : "good" });
  }
}

function showPipeline(state) {
  say(element("equation"), state.flink.value?.equation ?? "");
  mark(element("pipeline"), { "data-stale": Boolean(state.flink.problem && state.flink.value) });
  pipeline.show(state);
}

const PARTS = {
  "the job": showJob,
  "whether every packet is accounted for": showVerdict,
  "the pipeline": showPipeline,
  "inter-arrival times": (state) => gaps.show(state),
  "the rules in force": showRules,
  alerts: showAlerts,
  "what happened": showIncidents,
};

/** What cannot be shown is said, and the other parts are shown all the same. */
function show(state) {
  const problems = problemsOf(state);
  for (const [name, part] of Object.entries(PARTS)) {
    try {
      part(state);
    } catch (failure) {
      reportError(failure);
      problems.push({ key: name, words: `This page cannot show ${name}: ${failure.message}. That is a mistake in it; the browser's console has more.` });
    }
  }
  showProblems(problems);
  ends.forEach((end) => end.show());
  say(element("when"), clock(state.now_ms));
  mark(document.body, { "data-shown": state.now_ms });
}

/** Null: it does not answer, which is said. */
async function ask() {
  try {
    const answer = await fetch(`api/state?${gaps.known()}`, { signal: AbortSignal.timeout(LIMIT_MS) });
    if (!answer.ok) {
      throw new Error(await answer.text());
    }
    const state = await answer.json();
    lastAnswerMs = Date.now();
    mark(document.body, { "data-stale": false });
    return state;
  } catch (failure) {
    mark(document.body, { "data-stale": true });
    const words = `Since ${clock(lastAnswerMs)} the server of this page does not answer (${failure.message}). Has the demo ended? ./flowstone page starts the server again.`;
    showProblems([{ key: "page", words }]);
    return null;
  }
}

async function look() {
  const state = document.hidden ? null : await ask();
  if (state) {
    show(state);
  }
}

async function lookAgainAndAgain() {
  const beganMs = Date.now();
  try {
    await look();
  } finally {
    setTimeout(lookAgainAndAgain, Math.max(100, INTERVAL_MS - (Date.now() - beganMs)));
  }
}

document.addEventListener("visibilitychange", look);
lookAgainAndAgain();
