// A reporter for vitest: writes errors that belong to no test, and make a run fail that has no failed test, to `$TEST_REPORT.errors.json`.
// The report that vitest writes as JSON calls such a run a success.
import { writeFileSync } from "node:fs";

export default class UnhandledErrors {
  onTestRunEnd(_modules, errors) {
    const report = process.env.TEST_REPORT;
    if (report === undefined) throw new Error("Set TEST_REPORT to the path that reports begin with.");
    writeFileSync(
      `${report}.errors.json`,
      JSON.stringify(errors.map(({ name, message, stack, VITEST_TEST_PATH: path }) => ({ name, message, stack, path }))),
    );
  }
}
