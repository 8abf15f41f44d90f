import { deepStrictEqual } from "node:assert/strict";
import { defineFields } from "restwright/fields";
import { type Entry, runRaces } from "../tools/runRaces.js";
import { allButOne, type ByHand, fiveNames, nestedName, pickByNames } from "./byHand.js";
import { listView } from "./listView.js";
import { memberSchema, rows } from "./rows.js";

const memberFields = defineFields(memberSchema);

/** Names of the runners. */
const compiled = "compiled once";
const cached = "parsed, from the cache";
const anew = "parsed and compiled";
const byHand = "by hand";
const byNames = "by hand, parsed";

function entryOf({ fields, pick }: ByHand): Entry {
  const text: string = fields;
  const selected = memberFields.select({ fields: text });
  const runners = [
    { name: compiled, run: () => rows.map(selected) },
    { name: cached, run: () => rows.map(listView(text).select) },
    { name: anew, run: () => rows.map(memberFields.select({ fields: text })) },
    { name: byHand, run: () => rows.map(pick) },
  ];
  const comparisons = [compiled, cached, anew].map((one) => ({ one, other: byHand }));
  if (/[^\w,]/.test(text)) return checked({ title: `fields=${text}`, runners, comparisons });
  return checked({
    title: `fields=${text}`,
    runners: [...runners, { name: byNames, run: () => pickByNames(text, rows) }],
    comparisons: [...comparisons, { one: cached, other: byNames }],
  });
}

/** All of them must come to the same. */
function checked(entry: Entry): Entry {
  const [first, ...others] = entry.runners;
  for (const { name, run } of others) deepStrictEqual(run(0), first?.run(0), `${entry.title}, ${name}`);
  return entry;
}

console.log(`µs for ${rows.length} rows of ${Object.keys(memberSchema.shape).length} fields\n`);
runRaces([fiveNames, nestedName, allButOne].map(entryOf));
