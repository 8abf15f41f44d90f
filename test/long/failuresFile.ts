import { appendFileSync } from "node:fs";
import type { TestCase } from "vitest/node";

/** A reporter for vitest: appends each failed test to the file $FAILURES as a line of JSON when it fails, so that a run that is stopped has told what it found. */
// biome-ignore lint/style/noDefaultExport: vitest constructs the default export of a reporter's file.
export default class FailuresFile {
  onTestCaseResult(test: TestCase): void {
    const { state, errors = [] } = test.result();
    if (state !== "failed") return;
    const message = errors.map(({ stack, message: text }) => stack ?? text).join("\n");
    appendFileSync(process.env["FAILURES"] ?? "", `${JSON.stringify({ file: test.module.moduleId, fullName: test.fullName, message })}\n`);
  }
}
