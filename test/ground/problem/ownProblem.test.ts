import { ConfigurationError, ProblemError, problem } from "restwright";
import { expect, test } from "vitest";
import { problemDocument } from "../../../src/ground/problem/index.js";

test("a problem of one's own has its code, status and faults", () => {
  const thrown = problem("TOTAL_MISMATCH", 422, "The total differs.", {
    errors: [{ pointer: "/total" }, { pointer: "/lines", detail: "Sum 5.", code: "OTHER" }],
    extensions: { sum: 5 },
  });
  expect(thrown).toBeInstanceOf(ProblemError);
  expect(problemDocument(thrown, "r", "https://docs.example")).toMatchObject({
    title: "Total mismatch",
    status: 422,
    code: "TOTAL_MISMATCH",
    detail: "The total differs.",
    sum: 5,
    errors: [
      { code: "TOTAL_MISMATCH", detail: "The total differs.", pointer: "/total" },
      { code: "OTHER", detail: "Sum 5.", pointer: "/lines" },
    ],
  });
});

test.each([
  ["order_shipped", 409],
  ["", 409],
  ["ORDER-SHIPPED", 409],
  ["ORDER_SHIPPED", 200],
  ["ORDER_SHIPPED", 600],
  ["ORDER_SHIPPED", 409.5],
])("problem(%j, %d) is refused", (code, status) => {
  expect(() => problem(code, status, "x")).toThrow(ConfigurationError);
});
