// A reporter for vitest: writes errors that belong to no test, and make a run fail that has no failed test, to the file $UNHANDLED_ERRORS.
// The report that vitest writes as JSON calls such a run a success.
import { writeFileSync } from "node:fs";

export default class UnhandledErrors {
  onTestRunEnd(_modules, errors) {
    const file = process.env.UNHANDLED_ERRORS;
    if (file === undefined) throw new Error("Set UNHANDLED_ERRORS to the file that errors outside of tests are written to.");
    writeFileSync(file, JSON.stringify(errors.map(({ name, message, stack, VITEST_TEST_PATH: path }) => ({ name, message, stack, path }))));
  }
}
