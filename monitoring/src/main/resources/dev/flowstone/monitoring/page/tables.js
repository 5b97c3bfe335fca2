// SPDX-License-Identifier: Apache-2.0
// Rules, alerts and what happened, as lists that are kept up to date.

import { clock, html, length, list, mark, number, percent, rate, say, tenths } from "./words.js";

const element = (id) => document.getElementById(id);

function notice(id, words) {
  say(element(id), words);
  element(id).hidden = words === "";
}

/** Flink's REST interface has no such signs in names. */
const spelled = (name) => name.replace(/[ .:,]/g, "_");

/** Of a class of the user's only the last part of its name: the others are told to whoever points at it. */
const withoutPackages = (words) => words.replace(/(?:[a-z_][\w$]*\.)+(?=[A-Z])/g, "");

/** Those of the file in its order, unless it cannot be read or the job goes by others; then those that count all the same. */
function rulesOf(state) {
  const counts = { ...(state.flink.value?.of_rules ?? {}) };
  const rules = (state.rules.problem ? [] : (state.rules.value?.words ?? [])).map((rule) => ({ ...rule, packetsOf: counts[spelled(rule.name)] }));
  rules.forEach((rule) => delete counts[spelled(rule.name)]);
  const others = Object.entries(counts).map(([name, packetsOf]) => ({ name, priority: "", packets: "", kind: "", function: "", packetsOf }));
  return [...rules, ...others];
}

const oneOrMore = (count, one, more) => `${number(count)} ${count === 1 ? one : more}`;

/** Which rules are in force, as far as the job tells, and whether that is what stands in their file. */
function rulesNotice(state, isEmpty) {
  const view = state.flink.value;
  const told = view?.rules ?? { version: 0, waiting: 0, refused: 0, refused_since: 0 };
  const standing = state.rules.problem ? "" : state.rules.value?.standing;
  const version = `version ${number(told.version)}`;
  const words = [];
  if (isEmpty && view && told.version === 0 && !state.rules.problem) {
    words.push("This job goes by no rules, or has not begun to.");
  } else if (state.rules.place === null) {
    words.push("What they mean is known where --rules FILE names their file.");
  }
  if (told.waiting > 0) {
    words.push(`${oneOrMore(told.waiting, "newer set waits for what it needs", "newer sets wait for what they need")}, ${version} stays in force; the JobManager's log says for what.`);
  }
  if (told.refused_since > 0) {
    words.push(`${oneOrMore(told.refused_since, "change was", "changes were")} refused since ${version} came into force; the JobManager's log says why.`);
  } else if (told.refused_since === null && told.refused > 0) {
    words.push(`${oneOrMore(told.refused, "change was", "changes were")} refused, before ${version} came into force or since.`);
  }
  if (standing === "WAITS" || standing === "REFUSED") {
    words.push("So what the file says is not shown.");
  } else if (standing === "UNTOLD" && told.version > 0) {
    words.push(`Whether ${version} is what the file says is not known.`);
  }
  return words.join(" ");
}

export function showRules(state) {
  const rules = rulesOf(state);
  const all = rules.reduce((sum, rule) => sum + (rule.packetsOf?.per_second ?? 0), 0);
  const total = rules.reduce((sum, rule) => sum + (rule.packetsOf?.count ?? 0), 0);
  say(element("rules-title"), !state.rules.problem && state.rules.value?.standing === "UNTOLD" ? "Rules, as the file has them" : "Rules in force");
  notice("rules-notice", rulesNotice(state, rules.length === 0));
  element("rules-table").hidden = rules.length === 0;
  list(
    element("rules-rows"),
    rules,
    (rule) => rule.name,
    () => html("tr", {}, html("td", { class: "number" }), html("th", { scope: "row" }), html("td", { class: "match" }), html("td", { class: "what" }), html("td", { class: "number" }), html("td", { class: "share" }, shareBar())),
    (row, rule) => {
      const [priority, name, packets, what, perSecond, share] = row.children;
      // At rest the share of all that came, for no rate says anything then.
      const part = all > 0 ? (rule.packetsOf?.per_second ?? 0) / all : total > 0 ? (rule.packetsOf?.count ?? 0) / total : 0;
      say(priority, rule.priority);
      say(name, rule.name);
      say(packets, rule.packets);
      say(what, withoutPackages(rule.function));
      mark(what, { title: rule.function === withoutPackages(rule.function) ? null : rule.function });
      say(perSecond, rule.packetsOf ? rate(rule.packetsOf.per_second).replace("/s", "") : "–");
      mark(row, { "data-rule": rule.name, "data-kind": rule.kind, "data-count": rule.packetsOf?.count, title: rule.packetsOf ? `${number(rule.packetsOf.count)} packets so far` : "no packet so far" });
      mark(share.firstChild.firstChild, { width: (100 * part).toFixed(1) });
      say(share.lastChild, percent(part));
    },
  );
}

function shareBar() {
  const svg = "http://www.w3.org/2000/svg";
  const picture = document.createElementNS(svg, "svg");
  const bar = document.createElementNS(svg, "rect");
  mark(picture, { viewBox: "0 0 100 8", preserveAspectRatio: "none", "aria-hidden": "true" });
  mark(bar, { height: 8, width: 0 });
  picture.append(bar);
  const cell = document.createDocumentFragment();
  cell.append(picture, html("span"));
  return cell;
}

function alertsNotice(part, alerts) {
  if (part.place === null) {
    return "Alerts are asked for where they are kept: name it with --questdb URL.";
  }
  if (alerts.length === 0) {
    return part.problem ? "" : "None so far.";
  }
  return part.value.is_cut ? `There are more than these ${number(alerts.length)}: left out is what was told of longest ago, closed alerts before others.` : "";
}

export function showAlerts(state) {
  const alerts = state.alerts.value?.alerts ?? [];
  notice("alerts-notice", alertsNotice(state.alerts, alerts));
  list(
    element("alerts-list"),
    alerts,
    (alert) => alert.id,
    () => html("li", {}, html("p", { class: "head" }, html("time"), html("span", { class: "state" }), html("strong")), html("p", { class: "why" }, html("span", { class: "grave" }), html("span"))),
    (item, alert) => {
      const [time, state_, what] = item.firstChild.children;
      const [grave, why] = item.lastChild.children;
      say(time, clock(Date.parse(alert.time)));
      say(state_, alert.state);
      say(what, `${alert.detector.replaceAll("_", " ")} · ${alert.subject}`);
      say(grave, alert.times_limit >= 1 ? `${tenths(alert.times_limit)} × limit: ` : "");
      say(why, alert.explanation);
      mark(item, { "data-state": alert.state, "data-grave": alert.times_limit >= 5 ? "very" : "some", "data-alert": alert.id });
    },
  );
}

function incidentsOf(state) {
  const failures = (state.flink.value?.failures ?? []).map((each) => ({
    key: `failure ${each.time_ms} ${each.task}`,
    begin_ms: each.time_ms,
    end_ms: each.time_ms,
    goes_on: false,
    kind: "FAILURE",
    text: `Flink started tasks again: ${each.reason}`,
    where: [each.task, each.task_manager ? `TaskManager ${each.task_manager}` : ""].filter((words) => words).join(" · "),
  }));
  const others = state.incidents.map((each) => ({ ...each, key: `${each.kind} ${each.begin_ms} ${each.key || each.text}`, where: "" }));
  return [...failures, ...others].sort((one, other) => other.begin_ms - one.begin_ms);
}

const KINDS = { FAILURE: "restart", TASK_MANAGER: "TaskManager", RING: "ring", RULES: "rules" };

export function showIncidents(state) {
  const incidents = incidentsOf(state);
  notice("incidents-notice", incidents.length === 0 ? "Nothing out of the ordinary, as far as this page has looked." : "");
  list(
    element("incidents-list"),
    incidents,
    (each) => each.key,
    () => html("li", {}, html("p", { class: "head" }, html("time"), html("span", { class: "state" }), html("span", { class: "lasts" })), html("p", { class: "why" }), html("p", { class: "where" })),
    (item, each) => {
      const [time, kind, lasts] = item.firstChild.children;
      say(time, clock(each.begin_ms));
      say(kind, KINDS[each.kind]);
      say(lasts, each.goes_on ? "goes on" : each.end_ms - each.begin_ms >= 1000 ? `for ${length(each.end_ms - each.begin_ms)}` : "");
      say(item.children[1], each.text);
      say(item.children[2], each.where);
      mark(item, { "data-incident": each.kind });
    },
  );
}
