// Adds up the reports of all test runs: node .ci/tally.mjs <folder> <report> … [-- <name of a step that failed> …]
// Counts as failed: a failed test that did not pass when its file was run again alone (<report>.again), a step that failed, an error outside of tests, a report that is missing, a test that was skipped without being expected here, and one
// that is expected here but was not skipped (it was renamed, or it runs by now).
import { readFileSync } from "node:fs";
import { join, relative } from "node:path";

/** Cases for what a store does not claim to do. */
const expectedSkips = new Set([
  "memory store migrate › rows, keys, operations and assigned ids survive a restart",
  "memory store with nothing but the required methods migrate › rows, keys, operations and assigned ids survive a restart",
  "memory store with nothing but the required methods iterate › an iteration sees a snapshot of the rows at its beginning",
  "SQLite in memory migrate › rows, keys, operations and assigned ids survive a restart",
  "memory store secret › the secret survives a restart",
  "memory store with nothing but the required methods secret › the secret has at least 32 bytes in base64url, and is the same each time",
  "memory store with nothing but the required methods secret › 20 concurrent reads return the same secret",
  "memory store with nothing but the required methods secret › the secret survives a restart",
  "SQLite in memory secret › the secret survives a restart",
  "an export on a store with the required methods only is of one instant, whatever is written while it is read",
  "an export on a store without transactions is of one instant, whatever is written while it is read",
]);

const [folder = ".", ...rest] = process.argv.slice(2);
const end = rest.includes("--") ? rest.indexOf("--") : rest.length;
const names = rest.slice(0, end);
const total = { passed: 0, failed: 0 };
const faults = rest.slice(end + 1).map((step) => `failed: ${step}`);
const missing = new Set(expectedSkips);

for (const name of names) {
  const report = readReport(join(folder, `${name}.json`));
  const errors = readReport(join(folder, `${name}.errors.json`));
  if (report === undefined || errors === undefined) {
    faults.push(`${name}: there is no complete report, so that its tests are not counted below`);
    continue;
  }
  const again = readReport(join(folder, `${name}.again.json`));
  const skipped = [];
  for (const first of report.testResults) {
    const file = again?.testResults.find((other) => other.name === first.name) ?? first;
    if (file !== first) for (const test of unstable(first, file)) say(`${name}: unstable, passed when run again alone: ${test}`);
    const failures = file.assertionResults.filter(({ status }) => status === "failed");
    // A file that cannot be loaded has no tests that could fail.
    const failed = file.status === "failed" ? Math.max(1, failures.length) : failures.length;
    total.failed += failed;
    total.passed += file.assertionResults.filter(({ status }) => status === "passed").length;
    skipped.push(...file.assertionResults.filter(({ status }) => status !== "passed" && status !== "failed").map(({ fullName }) => fullName));
    if (failed > 0) say(`${name}: ${failed} failed in ${relative(process.cwd(), file.name)}`);
    if (failed > 0 && failures.length === 0) say(indented(file.message ?? ""));
    for (const { fullName, failureMessages = [] } of failures) say(`  ${fullName}\n${indented(failureMessages.join("\n"))}`);
  }
  for (const { name: type, message, stack, path = "no file known" } of [...errors, ...(readReport(join(folder, `${name}.again.errors.json`)) ?? [])])
    faults.push(`${name}: unhandled ${type} (${path}): ${stack ?? message}`);
  if (!(again ?? report).success) faults.push(`${name}: the run did not succeed`);
  for (const test of skipped) {
    missing.delete(test);
    if (expectedSkips.has(test)) say(`${name}: skipped as expected: ${test}`);
    else faults.push(`${name}: skipped: ${test}`);
  }
}
for (const test of missing) faults.push(`expected to be skipped, but was not: ${test}`);

for (const fault of faults) say(fault);
const failed = total.failed + faults.length;
say(`${total.passed} passed, ${failed} failed`);
process.exitCode = failed > 0 || total.passed === 0 ? 1 : 0;

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

function readReport(path) {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return undefined;
  }
}
