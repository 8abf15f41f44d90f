// Adds up the reports of all test runs: node .ci/tally.mjs <folder> <report> …
// Fails for a failed test, for a report that is missing, and for a test that was skipped without being expected here.
import { readFileSync } from "node:fs";
import { join, relative } from "node:path";

/** Cases for what a store does not claim to do. */
const expectedSkips = new Set([
  "memory store migrate › rows, keys, operations and numbers survive a restart",
  "memory store with nothing but the required methods migrate › rows, keys, operations and numbers survive a restart",
  "memory store with nothing but the required methods iterate › an iteration sees the rows as they were when it began",
  "SQLite in memory migrate › rows, keys, operations and numbers survive a restart",
  "memory store secret › the secret survives a restart",
  "memory store with nothing but the required methods secret › the secret has at least 32 bytes in base64url, and is the same each time",
  "memory store with nothing but the required methods secret › of twenty who ask at once all are told the same",
  "memory store with nothing but the required methods secret › the secret survives a restart",
  "SQLite in memory secret › the secret survives a restart",
  "an export on a store with the required methods only is of one instant, whatever is written while it is read",
  "an export on a store without transactions is of one instant, whatever is written while it is read",
]);

const [folder = ".", ...names] = process.argv.slice(2);
const total = { passed: 0, failed: 0 };
const faults = [];

for (const name of names) {
  const report = readReport(join(folder, `${name}.json`));
  if (report === undefined) {
    faults.push(`${name}: there is no report, so that its tests are not counted below`);
    continue;
  }
  const skipped = [];
  for (const file of report.testResults) {
    const failures = file.assertionResults.filter(({ status }) => status === "failed");
    // A file that cannot be loaded has no tests that could fail.
    const failed = file.status === "failed" ? Math.max(1, failures.length) : failures.length;
    total.failed += failed;
    total.passed += file.assertionResults.filter(({ status }) => status === "passed").length;
    skipped.push(...file.assertionResults.filter(({ status }) => status !== "passed" && status !== "failed").map(({ fullName }) => fullName));
    if (failed > 0) say(`${name}: ${failed} failed in ${relative(process.cwd(), file.name)}`);
  }
  if (!report.success) faults.push(`${name}: the run did not succeed`);
  for (const test of skipped) {
    if (expectedSkips.has(test)) say(`${name}: skipped as expected: ${test}`);
    else faults.push(`${name}: skipped: ${test}`);
  }
}

for (const fault of faults) say(fault);
say(`${total.passed} passed, ${total.failed} failed`);
process.exitCode = faults.length > 0 || total.failed > 0 || total.passed === 0 ? 1 : 0;

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
