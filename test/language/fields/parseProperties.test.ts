// @slow

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "../../tools/propertyRuns.js";
import { ask, orders, written } from "./collections.js";

/** Names, signs and junk in any order. */
const anyText = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 40 }),
  fc
    .array(
      fc.constantFrom(
        "id",
        "status",
        "address",
        "city",
        "geo",
        "lat",
        "lines",
        "sku",
        "payload",
        "customer",
        "company",
        "ssn",
        "margin",
        ",",
        ",",
        ".",
        "{",
        "}",
        "*",
        "-",
        " ",
        "__proto__",
      ),
      { maxLength: 40 },
    )
    .map((parts) => parts.join("")),
);

const anyTexts = fc.dictionary(
  fc.constantFrom("fields", "exclude", "include", "expand", "fields[users]", "fields[orders]", "fields[companies]", "fields[__proto__]"),
  anyText,
);

type Tree = { readonly [name: string]: Tree | true };

/** Objects within objects, whose leaves stand for whole members. */
const shape: Tree = { id: true, status: true, address: { city: true, zip: true, geo: { lat: true, lon: true } }, lines: { sku: true, price: true } };

function subTree(tree: Tree): fc.Arbitrary<Tree> {
  const members = Object.entries(tree).map(([name, below]) =>
    fc.tuple(fc.constant(name), below === true ? fc.constant(true as const) : subTree(below)),
  );
  return fc
    .subarray(Object.keys(tree), { minLength: 1 })
    .chain((names) => fc.tuple(...members).map((all) => Object.fromEntries(names.flatMap((name) => all.filter(([each]) => each === name)))));
}

function canonical(tree: Tree): string {
  return Object.entries(tree)
    .map(([name, below]) => (below === true ? name : `${name}{${canonical(below)}}`))
    .join(",");
}

/** A spelling of a tree: each object in braces or by dots, whose parts may stand apart and be said twice. */
function spelling(tree: Tree): fc.Arbitrary<string[]> {
  const members = Object.entries(tree).map(([name, below]): fc.Arbitrary<string[]> => {
    if (below === true) return fc.constantFrom([name], [name, name], [` ${name}\t`]);
    return fc.tuple(spelling(below), fc.boolean()).map(([parts, isDotted]) => {
      const inBraces = [`${name} {${parts.join(" , ")}}`];
      return isDotted ? parts.map((part) => `${name}.${part.trim()}`) : inBraces;
    });
  });
  return fc.tuple(...members).map((parts) => parts.flat());
}

describe("parsing a selection", () => {
  test("never throws, and what is selected without a fault is never nothing", () => {
    fc.assert(
      fc.property(anyTexts, fc.constantFrom("clerk", "admin"), (texts, id) => {
        const { selection, problems } = ask(texts, { id });
        expect(new Set(problems.map(({ detail }) => detail)).size).toBe(problems.length);
        for (const { detail, parameter } of problems) {
          expect(detail.length).toBeLessThan(400);
          expect(Object.keys(texts)).toContain(parameter);
        }
        if (problems.length === 0) expect(selection.fields === undefined || selection.fields.size + selection.relations.size > 0).toBe(true);
      }),
      { numRuns: propertyRuns(2_000) },
    );
  });

  test("shows a clerk nothing that a clerk may not read", () => {
    fc.assert(
      fc.property(anyTexts, (texts) => {
        const { selection, problems } = ask(texts);
        if (problems.length === 0) expect(written(selection)).not.toMatch(/\b(ssn|secret|margin|audit|agentId|auditorId|salary|agent|auditor)\b/);
      }),
      { numRuns: propertyRuns(2_000) },
    );
  });

  test("the canonical text does not depend on the spelling", () => {
    fc.assert(
      fc.property(
        subTree(shape).chain((tree) => fc.tuple(fc.constant(tree), spelling(tree))),
        ([tree, parts]) => {
          const { selection, problems } = ask({ fields: parts.join(",") });
          expect(problems).toEqual([]);
          expect(selection.canonical).toBe(canonical(tree));
        },
      ),
    );
  });

  test.each(["-payload.id.id", "*,-payload.a.b.c", "payload{*,-id.id,-x}", "payload.id{*,-id}"])(
    "the canonical text of %s selects the same again",
    (fields) => {
      const { selection, problems } = ask({ fields });
      expect(problems).toEqual([]);
      expect(ask({ fields: selection.canonical }).selection).toEqual(selection);
    },
  );

  test("the canonical text selects the same again", () => {
    fc.assert(
      fc.property(anyText, (fields) => {
        const { selection, problems } = ask({ fields });
        // Names with signs in them are quoted in a canonical text, which no request can do.
        fc.pre(problems.length === 0 && selection.relations.size === 0 && !selection.canonical.includes('"'));
        expect(ask({ fields: selection.canonical }, { limits: { fields: 1_000 } }).selection).toEqual(selection);
      }),
      { numRuns: propertyRuns(500) },
    );
  });

  test("what is left out by a minus is left out by exclude just so", () => {
    const paths = fc.subarray(["id", "status", "address", "address.city", "address.geo.lat", "lines.sku", "payload.a.b", "notes"], { minLength: 1 });
    fc.assert(
      fc.property(paths, (names) => {
        const minus = ask({ fields: names.map((name) => `-${name}`).join(",") });
        const excluded = ask({ exclude: names.join(",") });
        expect(minus.selection).toEqual(excluded.selection);
        expect(ask({ fields: "*", exclude: names.join(",") }).selection).toEqual(excluded.selection);
      }),
    );
  });

  test("`*` selects what the full default view does", () => {
    for (const id of ["clerk", "admin"]) {
      const { selection } = ask({ fields: "*" }, { id });
      const [all, chosen] = [orders.views.of("full", { id }), orders.views.chosen(selection, "full", { id })];
      expect([...chosen.names]).toEqual([...all.names]);
      expect(chosen.tag).toBe(all.tag);
    }
  });

  const long = (part: (index: number) => string) => Array.from({ length: 30_000 }, (_, index) => part(index)).join("");
  test.each([
    ["commas", long(() => ",")],
    ["opening braces", long(() => "payload{")],
    ["closing braces", long(() => "}")],
    ["dots", long(() => "payload.")],
    ["minus signs", long(() => "-")],
    ["white space", long(() => " ")],
    ["a name", long(() => "id,")],
    ["unknown names", long((index) => `x${index},`)],
    ["members", long(() => "address.city,")],
    ["different members", long((index) => `payload.x${index},`)],
    ["members to leave out", long((index) => `-payload.x${index},`)],
  ])(
    "%s, thirty thousand times, are read in one walk, whatever the limits",
    (_what, text) => {
      const limits = { fields: 1_000_000, fieldsDepth: 1_000_000, includes: 1_000_000 };
      for (const parameter of ["fields", "exclude", "include"]) {
        for (const asking of [{}, { limits }]) {
          expect(ask({ [parameter]: text }, asking).problems.length).toBeGreaterThan(0);
          ask({ [parameter]: text.slice(0, -1) }, asking);
        }
      }
    },
    20_000,
  );
});
