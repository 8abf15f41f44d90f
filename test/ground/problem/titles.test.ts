import { expect, test } from "vitest";
import { ProblemError, problemDocument } from "../../../src/ground/problem/index.js";

test.each([
  [413, "PAYLOAD_TOO_LARGE", "Content Too Large"],
  [422, "VALIDATION_FAILED", "Unprocessable Content"],
  [404, "NOT_FOUND", "Not Found"],
] as const)("the title of %i is that of RFC 9110", (status, code, title) => {
  expect(problemDocument(new ProblemError(code, "d"), "r", undefined)).toMatchObject({ status, title });
});
