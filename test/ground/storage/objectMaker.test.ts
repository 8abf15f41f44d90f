// @slow

import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { objectMaker } from "../../../src/ground/storage/values/objectMaker.js";

const names = fc.uniqueArray(
  fc.oneof(
    fc.string().filter((name) => name !== "__proto__"),
    fc.constantFrom("constructor", "toString", 'a"b', "a\\", "\u2028", "0", "é"),
  ),
  {
    maxLength: 30,
  },
);
/** A maker is compiled after some objects; both ways of making them must agree. */
const rounds = 130;

describe("objects made of members", () => {
  test("have the members in their order, with null for what is missing, and converted values", () => {
    const make = objectMaker([{ name: "b" }, { name: "a", convert: (value) => Number(value) * 2 }, { name: "c", convert: String }]);
    for (let round = 0; round < rounds; round++) {
      const made = make({ a: round, b: "text", d: 1 });
      expect(made).toStrictEqual({ b: "text", a: round * 2, c: null });
      expect(Object.keys(made)).toEqual(["b", "a", "c"]);
    }
  });

  test("are the same before and after the maker is compiled, whatever the members are called", () => {
    fc.assert(
      fc.property(names, fc.array(fc.jsonValue(), { maxLength: 30 }), (chosen, values) => {
        const source = Object.fromEntries(chosen.map((name, index) => [name, values[index]]));
        const wanted = chosen.map((name, index) => [name, values[index] ?? null]);
        const make = objectMaker(chosen.map((name) => ({ name })));
        for (let round = 0; round < rounds; round++) {
          const made = make(source);
          if (round % 60 === 0) expect(Object.entries(made)).toEqual(Object.entries(Object.fromEntries(wanted)));
        }
      }),
      { numRuns: 50 },
    );
  });
});

describe("objects made of values", () => {
  test("have each value under its name, also with 300 names", () => {
    const many = Array.from({ length: 300 }, (_, index) => `column ${index}`);
    const make = objectMaker(many.map((name, key) => ({ name, key })));
    for (let round = 0; round < rounds; round++) {
      const made = make(many.map((_, index) => index + round));
      expect(Object.keys(made)).toEqual(many);
      expect(made["column 299"]).toBe(299 + round);
    }
  });
});

test("a process that compiles no text makes the same objects", () => {
  const program = `
    import { objectMaker } from ${JSON.stringify(fileURLToPath(new URL("../../../src/ground/storage/values/objectMaker.ts", import.meta.url)))};
    const [members, values] = [objectMaker([{ name: "a" }, { name: "b" }]), objectMaker([{ name: "a", key: 0 }, { name: "b", key: 1 }])];
    for (let round = 0; round < ${rounds}; round++) { members({ a: round }); values([round, null]); }
    console.log(JSON.stringify([members({ a: 1 }), values([1, null])]));
  `;
  const flags = ["--disallow-code-generation-from-strings", "--import", "tsx", "--input-type=module", "--eval", program];
  expect(execFileSync(process.execPath, flags, { encoding: "utf8" }).trim()).toBe('[{"a":1,"b":null},{"a":1,"b":null}]');
});
