// @slow

import fc from "fast-check";
import { createPatch } from "rfc6902";
import { describe, expect, test } from "vitest";
import { ProblemError } from "../../../src/ground/problem/index.js";
import { applyStep } from "../../../src/language/patch/applyStep.js";
import { Budget } from "../../../src/language/patch/budget.js";
import { copyJson } from "../../../src/language/patch/copyJson.js";
import { equalJson } from "../../../src/language/patch/equalJson.js";
import { jsonPatch } from "../../../src/language/patch/jsonPatch.js";
import { resolveJsonPatchLimits } from "../../../src/language/patch/jsonPatchLimits.js";
import { operationNames } from "../../../src/language/patch/jsonPatchOperation.js";
import { parseSteps } from "../../../src/language/patch/parseJsonPatch.js";
import { weigh, weightless } from "../../../src/language/patch/weigh.js";
import { propertyRuns } from "../../tools/propertyRuns.js";
import { arbitraryJson, arbitraryPatch } from "./arbitraryPatch.js";
import { checkPatch } from "./checkPatch.js";

const many = { numRuns: propertyRuns(3_000) };
/** As many always: few random patches can be applied. */
const counted = { numRuns: 3_000 };

describe("any patch", () => {
  test("of the right shape is applied or refused with a problem, and changes nothing else", () => {
    const seen = { applied: 0, conflict: 0, malformed: 0 };
    fc.assert(
      fc.property(arbitraryPatch, ({ document, patch }) => {
        seen[checkPatch(document, patch)] += 1;
      }),
      counted,
    );
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(counted.numRuns / 50);
  });

  test("of any shape is applied or refused with a problem, and changes nothing else", () => {
    fc.assert(
      fc.property(
        fc.jsonValue(),
        fc.jsonValue(),
        fc.array(fc.dictionary(fc.constantFrom("op", "path", "from", "value"), fc.jsonValue())),
        (document, body, list) => {
          checkPatch(document, body);
          checkPatch(document, list);
        },
      ),
      { numRuns: propertyRuns(1_000) },
    );
  });

  test("of anything that JavaScript has is applied or refused with a problem", () => {
    fc.assert(
      fc.property(arbitraryJson, fc.anything(), (document, body) => {
        for (const patch of [body, [body], [{ op: "add", path: "", value: body }]]) {
          try {
            jsonPatch(document, patch);
          } catch (error) {
            expect(error).toBeInstanceOf(ProblemError);
          }
        }
      }),
      many,
    );
  });
});

test("what rfc6902 finds different is made the same", () => {
  const json = fc.oneof(arbitraryJson, fc.jsonValue());
  fc.assert(
    fc.property(json, json, (before, after) => {
      // That package steps over these names instead of into them.
      fc.pre(!/__proto__|constructor|prototype/.test(JSON.stringify([before, after])));
      const limits = { operations: 1_000 };
      const result = jsonPatch(before, createPatch(before, after), limits);
      expect(equalJson(result, after)).toBe(true);
    }),
    many,
  );
});

test("values are equal where they are the same text, once all members are in one order", () => {
  const arranged = (value: unknown, order: 1 | -1): unknown => {
    if (Array.isArray(value)) return value.map((element) => arranged(element, order));
    if (typeof value !== "object" || value === null) return value;
    const members = Object.entries(value).map(([name, member]) => [name, arranged(member, order)] as const);
    return Object.fromEntries(members.sort(([left], [right]) => (left < right ? -order : order)));
  };
  const text = (value: unknown) => JSON.stringify(arranged(value, 1));
  fc.assert(
    fc.property(arbitraryJson, arbitraryJson, (left, right) => {
      expect(equalJson(left, right)).toBe(text(left) === text(right));
      expect(equalJson(left, arranged(left, -1))).toBe(true);
    }),
    many,
  );
});

test("the size of the document is known after every operation", () => {
  const limits = resolveJsonPatchLimits();
  const spot = { index: 0, op: "add", member: "path" } as const;
  const [oneNode, oneCharacter] = [
    { ...weightless, nodes: 1 },
    { ...weightless, characters: 1 },
  ];
  const done = new Set<string>();
  fc.assert(
    fc.property(arbitraryPatch, ({ document, patch }) => {
      const budget = new Budget(limits, weigh(document));
      let current = copyJson(document, limits.depth);
      for (const operation of patch) {
        if (!fits(current, operation)) continue;
        for (const step of parseSteps([operation], limits)) current = applyStep(current, step, budget);
        done.add(operation.op);
        const size = weigh(current);
        const free = { nodes: limits.nodes - size.nodes, characters: limits.characters - size.characters, depth: 0 };
        // Filled up to the brim it takes no more of either: so it was neither larger nor smaller than that.
        budget.exchange(weightless, free, 0, spot);
        for (const one of [oneNode, oneCharacter]) {
          expect(() => budget.exchange(weightless, one, 0, spot)).toThrow(/result is too large/);
          budget.exchange(one, weightless, 0, spot);
        }
        budget.exchange(free, weightless, 0, spot);
      }
    }),
    many,
  );
  expect([...done].sort()).toEqual([...operationNames].sort());
});

function fits(document: unknown, operation: unknown): boolean {
  try {
    jsonPatch(document, [operation]);
    return true;
  } catch {
    return false;
  }
}
