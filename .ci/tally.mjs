// Adds up the reports of all test runs: node .ci/tally.mjs <folder> <report> … [-- <name of a step that failed> …]
// Counts as failed: a failed test that did not pass when its file was run again alone (<report>.again), a step that failed, an error outside of tests, a report that is missing, and a test that was skipped
// for lack of an engine that its run had promised, in the file <report>.engines, as `postgres,redis`. Tests that are skipped for another reason are listed by it. Tests name the engines and the reason through `test/tools/engines.ts`.
import { existsSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";

const [folder = ".", ...rest] = process.argv.slice(2);
const end = rest.includes("--") ? rest.indexOf("--") : rest.length;
const names = rest.slice(0, end);
const total = { passed: 0, failed: 0 };
const faults = rest.slice(end + 1).map((step) => `failed: ${step}`);
/** Skipped tests by the reason. */
const skips = new Map();

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
    if (file !== first) for (const test of unstable(first, file)) say(`${name}: unstable, passed when run again alone: ${test}`);
    const failures = file.assertionResults.filter(({ status }) => status === "failed");
    // A file that cannot be loaded has no tests that could fail.
    const failed = file.status === "failed" ? Math.max(1, failures.length) : failures.length;
    total.failed += failed;
    total.passed += file.assertionResults.filter(({ status }) => status === "passed").length;
    for (const test of file.assertionResults) if (test.status !== "passed" && test.status !== "failed") addSkip(name, test, promised);
    if (failed > 0) say(`${name}: ${failed} failed in ${relative(process.cwd(), file.name)}`);
    if (failed > 0 && failures.length === 0) say(indented(file.message ?? ""));
    for (const { fullName, failureMessages = [] } of failures) say(`  ${fullName}\n${indented(failureMessages.join("\n"))}`);
  }
  for (const { name: type, message, stack, path = "no file known" } of [...errors, ...(readReport(join(folder, `${name}.again.errors.json`)) ?? [])])
    faults.push(`${name}: unhandled ${type} (${path}): ${stack ?? message}`);
  if (!(again ?? report).success) faults.push(`${name}: the run did not succeed`);
}

for (const [reason, tests] of skips) say(`skipped, ${reason}:\n${tests.map((test) => `  ${test}`).join("\n")}`);
for (const fault of faults) say(fault);
const failed = total.failed + faults.length;
say(`${total.passed} passed, ${failed} failed`);
process.exitCode = failed > 0 || total.passed === 0 ? 1 : 0;

/** A test that lacks an engine that is promised is a fault; each other is listed. */
function addSkip(report, { fullName, meta = {} }, promised) {
  const { skipped = "no reason given", lacks = [] } = meta;
  const broken = lacks.filter((engine) => promised.includes(engine));
  if (broken.length > 0) faults.push(`${report}: skipped, although ${broken.join(" and ")} was promised: ${fullName}`);
  else skips.set(skipped, [...(skips.get(skipped) ?? []), `${report}: ${fullName}`]);
}

/** The failed tests of a file with what they said, as far as they passed when it was run again. */
function unstable(first, again) {
  if (first.assertionResults.every(({ status }) => status !== "failed") && again.status !== "failed")
    return [`${first.name}\n${indented(first.message ?? "")}`];
  const passed = new Set(again.assertionResults.filter(({ status }) => status === "passed").map(({ fullName }) => fullName));
  const failures = first.assertionResults.filter(({ status, fullName }) => status === "failed" && passed.has(fullName));
  return failures.map(({ fullName, failureMessages = [] }) => `${fullName}\n${indented(failureMessages.join("\n"))}`);
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
