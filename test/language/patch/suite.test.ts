import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ProblemError } from "../../../src/ground/problem/index.js";
import { jsonPatch } from "../../../src/language/patch/jsonPatch.js";

/** One record of the suite: what comes out, or why nothing may. Some say neither: then it is enough that the patch applies. */
interface Case {
  readonly comment?: string;
  readonly doc: unknown;
  readonly patch: unknown;
  readonly expected?: unknown;
  readonly error?: string;
  readonly disabled?: boolean;
}

/** JSON_PATCH_TESTS may name a checkout of github.com/json-patch/json-patch-tests, which has more cases than the package. */
const checkout = process.env["JSON_PATCH_TESTS"];
const { resolve } = createRequire(import.meta.url);
const files = ["tests.json", "spec_tests.json"].map((name) => (checkout ? join(checkout, name) : resolve(`json-patch-test-suite/${name}`)));
const cases = files.flatMap((file) => JSON.parse(readFileSync(file, "utf8")) as Case[]);
const enabled = cases
  .filter((one) => one.disabled !== true)
  .map((one, number) => [`${number} ${one.comment ?? JSON.stringify(one.patch)}`, one] as const);

/** JSON as text has two members "op" here; whoever has parsed it sees the last only. */
const unseen = ["duplicate ops", "A.13 Invalid JSON Patch Document"];
const disabled = cases.filter((one) => one.disabled === true);

describe("the suite of json-patch-tests", () => {
  test("is all there", () => {
    expect(enabled.length).toBe(checkout ? 108 : 91);
    expect(disabled.map(({ comment }) => comment)).toEqual(["Toplevel scalar values OK?", "Whole document", ...unseen]);
  });

  test.each(enabled)("%s", (_name, one) => {
    verify(one);
  });

  test.each(disabled.filter(({ comment = "" }) => !unseen.includes(comment)))("$comment (disabled there)", (one) => {
    verify(one);
  });
});

function verify(one: Case): void {
  const apply = () => jsonPatch(one.doc, one.patch);
  if ("error" in one) expect(apply).toThrow(ProblemError);
  else if ("expected" in one) expect(apply()).toEqual(one.expected);
  else expect(apply()).toEqual(one.doc);
}
