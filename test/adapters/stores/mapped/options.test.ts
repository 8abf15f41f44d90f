import { ConfigurationError, createService, defineResource } from "restwright";
import { actions } from "restwright/actions";
import { sqliteStorage } from "restwright/sqlite";
import { describe, expect, test } from "vitest";
import { z } from "zod";

type Options = Readonly<Record<string, unknown>>;

/** Where options are given within `table`, and what of them is needed. */
interface Place {
  /** As errors call it. */
  readonly at: string;
  readonly nest: (given: Options) => Options;
  readonly needed?: Options;
}

const places: readonly Place[] = [
  { at: "table", nest: (given) => given },
  { at: 'table: "name"', nest: (name) => ({ name }), needed: { schema: "main", name: "notes" } },
  { at: 'table: "version"', nest: (version) => ({ version }), needed: { column: "lock_version" } },
  { at: 'table: "tenant"', nest: (tenant) => ({ tenant }), needed: { column: "org" } },
  { at: 'table: "softDelete"', nest: (softDelete) => ({ softDelete }), needed: { column: "gone" } },
  { at: 'table: "updatedAt"', nest: (updatedAt) => ({ updatedAt }), needed: { name: "at", as: "epoch-ms" } },
  { at: 'table: "constraints.positive"', nest: (positive) => ({ constraints: { positive } }), needed: { detail: "Above 0." } },
  { at: 'table: "raised.45001"', nest: (given) => ({ raised: { 45001: given } }), needed: { status: 422, code: "SHIPPED" } },
];

const shape = { id: z.int(), text: z.string(), at: z.date().optional(), address: z.object({ city: z.string() }).optional() };
const declaration = "create table notes (id integer primary key, text varchar(20) not null, at integer, address json)";
const columns = { at: { name: "at", as: "epoch-ms" } };

/** What the start of a service says of a collection with these options of `table`. */
async function fault(given: Options): Promise<unknown> {
  const storage = sqliteStorage({ path: ":memory:" });
  const table = { name: "notes", managed: false, version: "hash", tenant: "shared", columns, ...given };
  try {
    await storage.transaction?.(async (tx) => void (await tx.sql?.(declaration, [])));
    const notes = defineResource("notes", { schema: z.object(shape), table } as never);
    const service = createService({ resources: [notes], storage, use: [actions()], logger: false });
    await service.start();
  } catch (error) {
    return error;
  } finally {
    await storage.close?.();
  }
  return undefined;
}

test("options of a table that are all right are not refused", async () => {
  expect(await fault({})).toBeUndefined();
});

describe.each(places)("options at $at", ({ at, nest, needed = {} }) => {
  test("are refused by the start if one is misspelled by a letter, with its name and what is allowed", async () => {
    const unknown = String(await fault(nest({ ...needed, qqqqqqqqqqqq: 1 })));
    expect(unknown).toContain(`defineResource("notes"): ${at} has no option "qqqqqqqqqqqq"; there `);
    const [, list = ""] = /there (?:is|are): (.+)\.$/.exec(unknown) ?? [];
    expect(list.split(", ")).toEqual(expect.arrayContaining(Object.keys(needed)));
    for (const name of list.split(", ").filter(({ length }) => length > 2)) {
      const misspelled = name.slice(0, 2) + name.slice(1);
      const error = await fault(nest({ ...needed, [misspelled]: 1 }));
      expect(error).toBeInstanceOf(ConfigurationError);
      expect(String(error)).toContain(`${at} has no option "${misspelled}"; did you mean "${name}"?`);
      expect(String(error)).toContain(list);
      const wrong = await fault(nest({ ...needed, [name]: Symbol("wrong") }));
      expect(wrong, name).toBeInstanceOf(ConfigurationError);
      expect(String(wrong)).toMatch(new RegExp(`: "[\\w.]*\\b${name}(?:\\.\\w+)?" must be`));
    }
  });
});

test.each<[Options, string]>([
  [{ columns: { txet: "text" } }, '"table.columns" names "txet", which is not a field of the schema'],
  [{ columns: { address: { ctiy: "city" } } }, '"table.columns" names "address.ctiy", which is not a field of the schema'],
  [{ columns: { address: { jsn: "address" } } }, '"table.columns" names "address.jsn", which is not a field of the schema'],
  [{ columns: { text: { nme: "text" } } }, 'has { nme: "text" } for "text", whose members the schema does not list; write the name of a column'],
  [{ columns: { at: { name: "at", ass: "epoch-ms" } } }, 'has { name: "at", ass: "epoch-ms" } for "at"'],
  [{ columns: { at: { nam: "at", as: "epoch-ms" } } }, 'has { nam: "at", as: "epoch-ms" } for "at"'],
  [{ columns: { at: { name: "at", as: "epoch" } } }, '{ name, as: "mixed", write: "text" } or { json }'],
  [{ columns: { at: { name: "at" } } }, 'has { name: "at" } for "at"'],
  [{ columns: { at: 5 } }, '"columns.at" must be the name of a column'],
  [{ fold: { txet: "text" } }, '"txet"'],
  [{ zone: "Mars/Olympus" }, '"Mars/Olympus"'],
  [{ raised: { "4500": { status: 422, code: "SHIPPED" } } }, '"4500"'],
  [{ raised: { "45001": { status: 522, code: "SHIPPED" } } }, '"raised.45001.status" must be a whole number from 400 to 499; got 522'],
  [{ raised: { "45001": { status: 422, code: "not a code" } } }, '"raised.45001.code" must be a code in upper case'],
  [{ constraints: { positive: { field: "txet", detail: "Above 0." } } }, '"txet"'],
])("%j is refused by the start", async (given, message) => {
  expect(String(await fault(given))).toContain(message);
});
