// @slow

import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defaultJsonPatchLimits } from "restwright/patch";
import { defaultMultipartLimits } from "restwright/uploads";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Declarations, openDeclarations } from "../../docs/site/declarations/program.js";
import { defaultOf } from "../../docs/site/options/defaultOf.js";
import { optionDocs } from "../../docs/site/options/optionDocs.js";
import { type OptionPlace, type OptionRow, optionsPage } from "../../docs/site/options/optionsPage.js";
import { defaultLimits } from "../../src/ground/limits/limits.js";
import { type Exported, fault, functionOf, optionNames, type Place, places, publicFunctions } from "../ground/options/places.js";

const docs = fileURLToPath(new URL("../../docs/", import.meta.url));

/** Options of calls, which docs/calls.md explains. */
const isCall = ({ of }: Place) => / (?:as \w+|asSystem|fetch)$/.test(of);

/** The values that an object of limits has by default. */
const defaultsOf: Readonly<Record<string, object>> = {
  ". createService limits": defaultLimits,
  "./query defineQuery limits": defaultLimits,
  "./fields defineFields limits": defaultLimits,
  "./transfer importRows limits": defaultLimits,
  "./uploads uploads forms.limits": defaultMultipartLimits,
  "./uploads receiveForm limits": defaultMultipartLimits,
  "./uploads parseMultipart": defaultMultipartLimits,
  "./patch parseJsonPatch": defaultJsonPatchLimits,
  "./patch applyJsonPatch": defaultJsonPatchLimits,
  "./patch jsonPatch": defaultJsonPatchLimits,
};

/** Where an option that is left out is simply not set. */
const unset = ["./cache cacheControl"];

let declarations: Declarations;
let functions: ReadonlyMap<string, Exported>;
const found: { readonly place: Place; readonly rows: readonly OptionRow[] }[] = [];

beforeAll(async () => {
  declarations = openDeclarations();
  functions = await publicFunctions();
  for (const place of places.filter((each) => !isCall(each))) found.push({ place, rows: await rowsOf(place) });
}, 120_000);
afterAll(() => declarations.close());

async function rowsOf(place: Place): Promise<OptionRow[]> {
  const exported = functions.get(functionOf(place));
  const names = await optionNames(exported, place);
  const declared = optionDocs(declarations, place.of, names);
  const rows: OptionRow[] = [];
  for (const name of names) {
    const { isRequired, text } = declared.get(name) ?? { isRequired: false, text: "" };
    const described = defaultOf(text);
    const real = (defaultsOf[place.of] as Readonly<Record<string, number>> | undefined)?.[name];
    rows.push({
      name,
      allowed: await allowedOf(place, name),
      isRequired,
      ...described,
      ...(real !== undefined && { default: real.toLocaleString("en-US") }),
    });
  }
  return rows;
}

/** What the function says that the value must be; a symbol is of no option's type. */
async function allowedOf(place: Place, name: string): Promise<string> {
  const error = String(await fault(functions.get(functionOf(place)), place, { [name]: Symbol("wrong") }));
  return / must be ([\s\S]*); got /.exec(error)?.[1] ?? "";
}

describe("docs/options.md", () => {
  test("is what the checks and the types of all options say; npm run docs:options writes it", async () => {
    const shown = found.flatMap(({ place: { of }, rows }): OptionPlace[] => {
      const [entry = "", name = "", ...path] = of.split(" ");
      // docs/limits.md has them, and a test of its own.
      return rows.some((row) => row.name === "targetBytes") ? [] : [{ entry, name, path: path.join("."), rows }];
    });
    const page = optionsPage(shown, (name) => existsSync(`${docs}${name}`));
    await expect(page).toMatchFileSnapshot(`${docs}options.md`);
  });

  test("explains each option, and says what a value is and what its default is", () => {
    const missing = found.flatMap(({ place: { of }, rows }) =>
      rows.filter(({ text, allowed }) => text === "" || allowed === "").map(({ name }) => `${of} ${name}`),
    );
    expect(missing).toEqual([]);
    const hasValue = /^(?:true or false|a whole number|"[^"]*" or )/;
    const withoutDefault = found.flatMap(({ place: { of }, rows }) =>
      rows
        .filter((row) => !row.isRequired && row.default === undefined && hasValue.test(row.allowed) && !unset.includes(of))
        .map(({ name }) => `${of} ${name}`),
    );
    expect(withoutDefault).toEqual([]);
  });

  test("gives defaults that the functions accept", async () => {
    for (const { place, rows } of found) {
      for (const { name, default: text = "" } of rows) {
        const value = valueOfDefault(text);
        if (value === undefined) continue;
        const error = await fault(functions.get(functionOf(place)), place, { [name]: value });
        expect(String(error), `${place.of} ${name}`).not.toContain(`"${name}" must be`);
      }
    }
  });
});

/** A default that is written as a number, a boolean, or a text in code. */
function valueOfDefault(text: string): unknown {
  if (/^`?(?:true|false)`?$/.test(text)) return text.includes("true");
  if (/^\d[\d,]*$/.test(text)) return Number(text.replaceAll(",", ""));
  return /^`([a-z][\w./-]*)`$/.exec(text)?.[1];
}

describe("defaultOf", () => {
  test.each([
    ["How long one check may take, in milliseconds (10,000).", "10,000", "How long one check may take, in milliseconds."],
    ["Fields that can be sorted (default: all that have an order).", "all that have an order", "Fields that can be sorted."],
    ["`create` (default) makes tables.", "`create`", "`create` (default) makes tables."],
    ["Missing tables are created (`create`, the default), or not.", "`create`", "Missing tables are created (`create`, the default), or not."],
    ["The version. Defaults to 1.5; with `webhooks()` both.", "1.5", "The version. With `webhooks()` both."],
    ["The version. Defaults to `a.b`.", "`a.b`", "The version."],
    ["For TCP; 5,000 unless given.", "5,000", "For TCP."],
    ["Set on create or (`{ on }`) on every write.", undefined, "Set on create or (`{ on }`) on every write."],
  ])("%s", (text, expected, rest) => {
    expect(defaultOf(text)).toEqual({ text: rest, default: expected });
  });
});
