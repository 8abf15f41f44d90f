import fc from "fast-check";
import { expect, test } from "vitest";
import { parseJsonRow } from "../../../../src/capabilities/transfer/formats/jsonRow.js";
import { checkJson } from "../../../../src/ground/http/json/checkJson.js";
import { propertyRuns } from "../../../tools/propertyRuns.js";

const { value } = fc.letrec((tie) => ({
  value: fc.oneof({ depthSize: "medium", maxDepth: 6 }, fc.constantFrom("1", "null", "true", '"text"', "1e999"), tie("array"), tie("object")),
  array: fc.array(tie("value"), { maxLength: 4 }).map((elements) => `[${elements.join()}]`),
  object: fc
    .uniqueArray(fc.tuple(fc.constantFrom("a", "b", "c", "constructor", "prototype", "__proto__"), tie("value")), {
      maxLength: 4,
      selector: ([name]) => name,
    })
    .map((members) => `{${members.map(([name, member]) => `${JSON.stringify(name)}:${member}`).join()}}`),
}));
const limits = fc.record({ depth: fc.nat(5), members: fc.nat(4), values: fc.integer({ min: 1, max: 20 }) });

function isRefused(run: () => void): boolean {
  try {
    run();
    return false;
  } catch {
    return true;
  }
}

test("a row of NDJSON is refused exactly if the check of JSON bodies refuses it, however it is nested", () => {
  fc.assert(
    fc.property(value, limits, (nested, most) => {
      const text = `{"row":${nested}}`;
      const { fault } = parseJsonRow(text, { row: 1, line: 1 }, { ...most, rowBytes: 1_000_000 });
      expect(fault !== undefined).toBe(isRefused(() => checkJson(JSON.parse(text), most, false)));
    }),
    { numRuns: propertyRuns(2_000) },
  );
});
