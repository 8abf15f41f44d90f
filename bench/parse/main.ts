import { ok, strictEqual } from "node:assert/strict";
import fastQuerystring from "fast-querystring";
import { parse as parseQs } from "qs";
import { defineQuery } from "restwright/query";
import { type Entry, runRaces } from "../tools/runRaces.js";
import { parseByHand, parseByHandCompiled } from "./byHand.js";
import { type Queries, queries } from "./queries.js";
import { orderSchema } from "./schema.js";
import { versionOf } from "./versionOf.js";
import { walkParameters } from "./walk.js";

const language = defineQuery(orderSchema, { search: ["note"] });

const parsers: readonly (readonly [name: string, parse: (query: string) => unknown])[] = [
  ["restwright/query", (query) => language.parse(query)],
  ["URLSearchParams", walkParameters],
  ["fast-querystring", (query) => fastQuerystring.parse(query)],
  ["qs", (query) => parseQs(query)],
  ["qs + zod", parseByHand],
  ["qs + compiled zod", parseByHandCompiled],
];

/** Faster than `qs`, and close to what decoding alone costs. */
const bars: Readonly<Record<string, number>> = { qs: 1, URLSearchParams: 3 };

function entryOf({ title, parameters, texts }: Queries): Entry {
  requireSense(parameters, texts);
  const at = (turn: number) => texts[turn % texts.length] ?? "";
  return {
    title,
    runners: parsers.map(([name, parse]) => ({ name, run: (turn) => parse(at(turn)) })),
    comparisons: parsers.slice(1).map(([other]) => ({ one: "restwright/query", other, bar: parameters === 8 ? bars[other] : undefined })),
  };
}

/** A parser that refuses the query, or overlooks half of it, has an easy race. */
function requireSense(parameters: number, texts: readonly string[]): void {
  for (const query of texts) {
    strictEqual(Object.keys(walkParameters(query)).length, parameters, query);
    strictEqual(Object.keys(fastQuerystring.parse(query)).length, parameters, query);
    const { filter, sort, perPage } = language.parse(query);
    const byHand = parseByHand(query);
    ok(filter !== undefined, query);
    strictEqual(perPage, byHand.perPage, query);
    strictEqual(sort[0]?.path.join("."), byHand.sort[0]?.replace("-", ""), query);
    strictEqual(JSON.stringify(parseByHandCompiled(query)), JSON.stringify(byHand), query);
  }
}

console.log(`${["qs", "fast-querystring", "zod"].map(versionOf).join(", ")}; URLSearchParams of Node ${process.versions.node}\n`);
runRaces(queries.map(entryOf));
