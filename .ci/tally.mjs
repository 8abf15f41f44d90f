// Adds up the reports of all test runs: node .ci/tally.mjs <folder> <report> … [-- <name of a step that failed> …]
// Counts as failed: a failed test that did not pass when its file was run again alone (<report>.again), a step that failed, an error outside of tests, a report that is missing, and a test that was skipped
// for lack of an engine that its run had promised, in the file <report>.engines, as `postgres,redis`. Tests that are skipped for another reason, and passed in no other run, are listed by it. Tests name the engines
// and the reason through `test/tools/engines.ts`. What failed is printed last, because often only the end of a long output is kept.
import { existsSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";

const [folder = ".", ...rest] = process.argv.slice(2);
const end = rest.includes("--") ? rest.indexOf("--") : rest.length;
const names = rest.slice(0, end);
const total = { passed: 0, failed: 0 };
const faults = rest.slice(end + 1).map((step) => `failed: ${step}`);
/** What failed or was unstable, in the order of the reports. */
const failures = [];
/** Skipped tests by the reason, each with its report. */
const skips = new Map();
/** The tests that passed, in whichever report. */
const passed = new Set();

for (const name of names) {
  const report = readReport(join(folder, `${name}.json`));
  const errors = readReport(join(folder, `${name}.errors.json`));
  if (report === undefined || errors === undefined) {
    faults.push(`${name}: there is no complete report, so that its tests are not counted below`);
    continue;
  }
  const again = readReport(join(folder, `${name}.again.json`));
  const promised = readPromised(join(folder, `${name}.engines`));
  for (const first of report.testResults) {
    const file = again?.testResults.find((other) => other.name === first.name) ?? first;
    if (file !== first) for (const test of unstable(first, file)) failures.push(`${name}: unstable, passed when run again alone: ${test}`);
    addFailures(name, file);
    for (const test of file.assertionResults)
      if (test.status === "passed") {
        total.passed++;
        passed.add(`${file.name}\n${test.fullName}`);
      } else if (test.status !== "failed") addSkip(name, file.name, test, promised);
  }
  for (const { name: type, message, stack, path = "no file known" } of [...errors, ...(readReport(join(folder, `${name}.again.errors.json`)) ?? [])])
    faults.push(`${name}: unhandled ${type} (${path}): ${stack ?? message}`);
  if (!(again ?? report).success) faults.push(`${name}: the run did not succeed`);
}

for (const [reason, tests] of skips) sayNotRun(reason, tests);
for (const line of [...failures, ...faults]) say(line);
const failed = total.failed + faults.length;
say(`${total.passed} passed, ${failed} failed`);
process.exitCode = failed > 0 || total.passed === 0 ? 1 : 0;

function addFailures(report, file) {
  const found = file.assertionResults.filter(({ status }) => status === "failed");
  // A file that cannot be loaded has no tests that could fail.
  const count = file.status === "failed" ? Math.max(1, found.length) : found.length;
  total.failed += count;
  if (count > 0) failures.push(`${report}: ${count} failed in ${relative(process.cwd(), file.name)}`);
  if (count > 0 && found.length === 0) failures.push(indented(file.message ?? ""));
  for (const { fullName, failureMessages = [] } of found) failures.push(`  ${fullName}\n${indented(failureMessages.join("\n"))}`);
}

/** A test that lacks an engine that is promised is a fault; each other is listed. */
function addSkip(report, file, { fullName, meta = {} }, promised) {
  const { skipped = "no reason given", lacks = [] } = meta;
  const broken = lacks.filter((engine) => promised.includes(engine));
  if (broken.length > 0) faults.push(`${report}: skipped, although ${broken.join(" and ")} was promised: ${fullName}`);
  else skips.set(skipped, [...(skips.get(skipped) ?? []), { report, file, fullName }]);
}

/** The tests of a reason that no run has run. */
function sayNotRun(reason, tests) {
  const left = tests.filter(({ file, fullName }) => !passed.has(`${file}\n${fullName}`));
  if (left.length > 0) say(`skipped, ${reason}:\n${left.map(({ report, fullName }) => `  ${report}: ${fullName}`).join("\n")}`);
}

/** The failed tests of a file with what they said, as far as they passed when it was run again. */
function unstable(first, again) {
  if (first.assertionResults.every(({ status }) => status !== "failed") && again.status !== "failed")
    return [`${first.name}\n${indented(first.message ?? "")}`];
  const mended = new Set(again.assertionResults.filter(({ status }) => status === "passed").map(({ fullName }) => fullName));
  return first.assertionResults
    .filter(({ status, fullName }) => status === "failed" && mended.has(fullName))
    .map(({ fullName, failureMessages = [] }) => `${fullName}\n${indented(failureMessages.join("\n"))}`);
}

/** The first lines of what a failure says, so that the end of the output tells why. */
function indented(message) {
  return message
    .split("\n", 12)
    .map((line) => `    ${line.slice(0, 300)}`)
    .join("\n");
}

/** @param {string} line */
function say(line) {
  process.stdout.write(`${line}\n`);
}

function readPromised(path) {
  return existsSync(path) ? readFileSync(path, "utf8").trim().split(",") : [];
}

function readReport(path) {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return undefined;
  }
}
