// @slow

import fc from "fast-check";
import { applyPatch, type Operation } from "rfc6902";
import { describe, expect, test } from "vitest";
import { isObject } from "../../../src/ground/http/isObject.js";
import { ProblemError } from "../../../src/ground/problem/index.js";
import { equalJson } from "../../../src/language/patch/equalJson.js";
import { jsonPatch } from "../../../src/language/patch/jsonPatch.js";
import type { JsonPatchOperation } from "../../../src/language/patch/jsonPatchOperation.js";
import { arbitraryPatch } from "./arbitraryPatch.js";

const refusal = Symbol("refused");

/** The package `rfc6902` as an independent judge; it changes what it is given. */
function theirs(document: unknown, operation: JsonPatchOperation): unknown {
  const copy: unknown = structuredClone(document);
  try {
    return applyPatch(copy, [structuredClone(operation) as Operation]).every((fault) => fault === null) ? copy : refusal;
  } catch {
    return refusal;
  }
}

function ours(document: unknown, operation: JsonPatchOperation): unknown {
  try {
    return jsonPatch(document, [operation]);
  } catch (error) {
    if (error instanceof ProblemError) return refusal;
    throw error;
  }
}

const tokensOf = (text: string) =>
  text
    .split("/")
    .slice(1)
    .map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));

/** The containers that a pointer steps out of, with the token of each step. */
function stepsOf(document: unknown, text: string): (readonly [container: unknown, token: string])[] {
  let value = document;
  return tokensOf(text).map((token) => {
    const step = [value, token] as const;
    value =
      (isObject(value) || Array.isArray(value)) && Object.hasOwn(value, token) ? (value as Readonly<Record<string, unknown>>)[token] : undefined;
    return step;
  });
}

const isIndex = (token: string) => /^(?:0|[1-9][0-9]*)$/.test(token);
const pointersOf = (operation: JsonPatchOperation) => ("from" in operation ? [operation.from, operation.path] : [operation.path]);
const allSteps = (document: unknown, operation: JsonPatchOperation) => pointersOf(operation).flatMap((text) => stepsOf(document, text));
const parentOf = (text: string) => text.slice(0, Math.max(0, text.lastIndexOf("/")));

interface Difference {
  readonly name: string;
  readonly covers: (document: unknown, operation: JsonPatchOperation) => boolean;
  /** A document, an operation, what each makes of them. */
  readonly example: readonly [unknown, JsonPatchOperation, ours: unknown, theirs: unknown];
}

/** Where `rfc6902` 5.4 and we differ, and RFC 6902 is with us. */
const differences: readonly Difference[] = [
  {
    name: "it refuses to put anything in the place of the whole document",
    covers: (_document, { op, path }) => path === "" && op !== "test",
    example: [{ a: 1 }, { op: "replace", path: "", value: 1 }, 1, refusal],
  },
  {
    name: "it walks into text as if it were an array",
    covers: (document, operation) => allSteps(document, operation).some(([container]) => typeof container === "string"),
    example: [{ a: "x" }, { op: "copy", from: "/a/length", path: "/b" }, refusal, { a: "x", b: 1 }],
  },
  {
    name: "it takes tokens that are no index of an array",
    covers: (document, operation) => allSteps(document, operation).some(([container, token]) => Array.isArray(container) && !isIndex(token)),
    example: [[1, 2], { op: "replace", path: "/01", value: 3 }, refusal, Object.assign([1, 2], { "01": 3 })],
  },
  {
    name: "it copies and moves to any index, however far behind the end",
    covers: (document, operation) => {
      const [container, token] = stepsOf(document, operation.path).at(-1) ?? [];
      return "from" in operation && Array.isArray(container) && Number(token) >= container.length;
    },
    example: [[1, 2], { op: "copy", from: "/0", path: "/9" }, refusal, [1, 2, 1]],
  },
  {
    name: "it looks for the target of a move before it has removed the value",
    covers: (document, operation) => {
      if (operation.op !== "move") return false;
      const [container] = stepsOf(document, operation.from).at(-1) ?? [];
      return Array.isArray(container) && operation.path.startsWith(`${parentOf(operation.from)}/`);
    },
    example: [[1, [2], [3]], { op: "move", from: "/0", path: "/1/0" }, [[2], [1, 3]], [[1, 2], [3]]],
  },
];

describe("the known difference to the package rfc6902 that", () => {
  test.each(differences)("$name", ({ covers, example: [document, operation, here, there] }) => {
    expect(covers(document, operation)).toBe(true);
    expect(ours(document, operation)).toEqual(here);
    expect(theirs(document, operation)).toEqual(there);
  });

  test.each<[JsonPatchOperation, unknown]>([
    [{ op: "add", path: "/__proto__/a", value: 1 }, { a: 1 }],
    [{ op: "add", path: "/constructor/a", value: 1 }, { a: 1 }],
  ])("it steps over names that could lead to a prototype: %j", (operation, there) => {
    expect(ours({}, operation)).toBe(refusal);
    expect(theirs({}, operation)).toEqual(there);
  });
});

test("but for the known differences the package rfc6902 and we come to the same", () => {
  const same = { applied: 0, refused: 0 };
  fc.assert(
    fc.property(arbitraryPatch, ({ document, patch }) => {
      let current: unknown = document;
      for (const operation of patch as JsonPatchOperation[]) {
        const [here, there] = [ours(current, operation), theirs(current, operation)];
        if (!differences.some(({ covers }) => covers(current, operation))) {
          expect(here === refusal, JSON.stringify([current, operation])).toBe(there === refusal);
          expect(equalJson(here, there), JSON.stringify([current, operation])).toBe(true);
          same[here === refusal ? "refused" : "applied"] += 1;
        }
        if (here !== refusal) current = here;
      }
    }),
    { numRuns: 3_000 },
  );
  expect(same.applied).toBeGreaterThan(1_000);
  expect(same.refused).toBeGreaterThan(1_000);
});
