import { describe, expect, test } from "vitest";
import { z } from "zod";
import { csvColumns } from "../../../src/language/csv/columns.js";
import type { ChosenFields } from "../../../src/language/fields/selection.js";
import { introspectObject } from "../../../src/language/schema/introspect.js";

const fields = introspectObject(
  z.object({
    id: z.int(),
    address: z.object({ city: z.string(), geo: z.object({ lat: z.number(), lng: z.number() }).optional() }).nullable(),
    tags: z.array(z.string()),
    lines: z.array(z.object({ sku: z.string() })),
    extra: z.record(z.string(), z.unknown()),
    loose: z.looseObject({ known: z.string() }),
    either: z.union([z.object({ a: z.string() }), z.string()]),
    nothing: z.object({}),
    dotted: z.object({ "a.b": z.string(), c: z.string() }),
  }),
);

const whole = (...names: string[]): ChosenFields => new Map(names.map((name) => [name, true as const]));
const part = (name: string, all: boolean, named: [string, boolean | { all: boolean; named: Map<string, boolean> }][]): ChosenFields =>
  new Map([[name, { all, named: new Map(named) }]]);

describe("the columns of a file", () => {
  const cases: [string, ChosenFields, string[]][] = [
    ["stand in the order of the choice", whole("tags", "id"), ["tags", "id"]],
    ["are the members of an object, at any depth", whole("address"), ["address.city", "address.geo.lat", "address.geo.lng"]],
    [
      "are one each for arrays, records, open objects and unions",
      whole("tags", "lines", "extra", "loose", "either"),
      ["tags", "lines", "extra", "loose", "either"],
    ],
    ["are one for an object without members, and for one with a dot in a name", whole("nothing", "dotted"), ["nothing", "dotted"]],
    [
      "are the named members in their order",
      part("address", false, [
        ["geo", true],
        ["city", true],
      ]),
      ["address.geo.lat", "address.geo.lng", "address.city"],
    ],
    [
      "leave out what was left out",
      part("address", true, [["geo", { all: true, named: new Map([["lat", false]]) }]]),
      ["address.city", "address.geo.lng"],
    ],
    ["are one for a part of what has no columns of its own", part("lines", false, [["sku", true]]), ["lines"]],
  ];

  test.each(cases)("%s", (_, chosen, names) => {
    const columns = csvColumns(fields, chosen);
    expect(columns.map(({ name }) => name)).toEqual(names);
    expect(columns.map(({ path }) => path.join("."))).toEqual(names);
  });
});
