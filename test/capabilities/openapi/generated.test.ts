// @slow

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { clientOf } from "../../tools/client.js";
import { propertyRuns } from "../../tools/propertyRuns.js";
import { mutatedRequests, validRequests } from "./generated.js";
import { stage } from "./stage.js";

const service = stage();
const document = await service.document();
const send = clientOf(service);

/** What no schema can say: how parameters go together, and what the rows and the addresses are. */
const rules: readonly (readonly [code: string, detail: RegExp])[] = [
  ["UNKNOWN_REFERENCE", /^There is no /],
  ["DUPLICATE", /./],
  ["OFFSET_TOO_LARGE", /beyond the first 10000 rows/],
  ["CONFLICTING_PARAMETERS", /"delimiter"|"formulas"|"bom"/],
  ["INVALID_BATCH", /cannot both choose the rows/],
  ["READ_ONLY_FIELD", /as the path says/],
  ["QUERY_TOO_COMPLEX", /^Conditions: /],
  ["TYPE_NOT_ALLOWED", /allowed are image\/png/],
  ["FILTER_REQUIRED", /Without a filter/],
  ["INVALID_VALUE", /differs from the id in the path|The patch is empty|needs "key"|must be a media type|usable as a path segment/],
  ["IMPORT_REJECTED", /^Row \d+ /],
];

interface Problem {
  readonly code: string;
  readonly detail: string;
  readonly errors?: readonly Problem[];
}

/** Faults of an answer that are faults of the form of its request. */
function formFaults({ code, detail, errors }: Problem): readonly string[] {
  if (rules.some(([allowed, pattern]) => code.startsWith(allowed) && pattern.test(detail))) return [];
  return errors === undefined ? [`${code}: ${detail}`] : errors.flatMap(formFaults);
}

describe("requests made from the schemas of the document", () => {
  test("are never refused for their form", async () => {
    const answered = new Set<string>();
    await fc.assert(
      fc.asyncProperty(
        // The parameters of a CSV of failed rows are those of its JSON, which needs Accept.
        validRequests(document, (operation) => operation !== "imports.errors"),
        async (request) => {
          const { status, text } = await send(request);
          answered.add(request.operationId);
          expect(status, text).toBeLessThan(500);
          if ([400, 415, 422].includes(status) && !text.startsWith('{"results"')) expect(formFaults(JSON.parse(text)), text).toEqual([]);
        },
      ),
      { numRuns: propertyRuns(2_000) },
    );
    expect(answered.size).toBeGreaterThan(40);
  });

  test("are refused after one change that the document does not allow", async () => {
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(
        mutatedRequests(document, () => true),
        async ({ mutation = "", ...request }) => {
          const { status, text } = await send(request);
          seen.add(mutation);
          expect(status, `${mutation}: ${text}`).toBeGreaterThanOrEqual(400);
          expect(status, `${mutation}: ${text}`).toBeLessThan(500);
        },
      ),
      { numRuns: propertyRuns(2_000) },
    );
    expect(seen.size).toBeGreaterThan(80);
  });
});
