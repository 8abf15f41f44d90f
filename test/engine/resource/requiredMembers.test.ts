import { createService, defineResource } from "restwright";
import { expect, test } from "vitest";
import { z } from "zod";
import type { Storage } from "../../../src/ground/storage/storage.js";
import { describeOnDisk } from "../../tools/storage/describeInStorages.js";

const id = z.int();
const generated = { id: "increment" } as const;
const table = { managed: false, version: "hash", tenant: "shared" } as const;

const meta = z
  .object({
    a: z.int(),
    level: z.int(),
    note: z.string().nullable(),
    size: z.string().default("M"),
    color: z.string().optional(),
    free: z.unknown(),
    deep: z.object({ old: z.int(), fresh: z.boolean() }).optional(),
  })
  .nullable();

interface Warned {
  readonly collection: string;
  readonly field: string;
}

async function start(storage: Storage, resource: Parameters<typeof createService>[0]["resources"][number]) {
  const warned: Warned[] = [];
  const none = () => {};
  const warn = (facts: object, message: string) => {
    if (message.startsWith("A member of a field is required")) warned.push(facts as Warned);
  };
  const service = createService({ storage, resources: [resource], logger: { warn, error: none, info: none, debug: none } });
  await service.start();
  return { service, warned: warned.map(({ collection, field }) => `${collection}: ${field}`) };
}

describeOnDisk("members that are new and required", async (open) => {
  test.each<[string, readonly unknown[], readonly string[]]>([
    ["no rows", [], []],
    ["rows that have all", [{ a: 1, level: 1, note: null, deep: { old: 1, fresh: true } }, null], []],
    ["rows without an object", [null], []],
    ["a row that lacks some", [{ a: 1, level: 1, note: "n" }, { a: 2 }], ["level", "note"]],
    ["a row that lacks one further down", [{ a: 1, level: 2, note: null, deep: { old: 1 } }], ["deep.fresh"]],
  ])("are warned of at the start: %s", async (_, stored, expected) => {
    const { storage } = await open();
    const names = `items${stored.length}${expected.length}`;
    const old = defineResource(names, { schema: z.object({ id, meta: z.looseObject({}).nullable() }), generated });
    const { service } = await start(storage, old);
    for (const value of stored) {
      const init = { method: "POST", body: JSON.stringify({ meta: value }), headers: { "content-type": "application/json" } };
      expect((await service.fetch(new Request(`http://host.test/${names}`, init))).status).toBe(201);
    }
    expect((await start(storage, defineResource(names, { schema: z.object({ id, meta }), generated }))).warned).toEqual(
      expected.map((member) => `${names}: meta.${member}`),
    );
    // The same rows as those of another program.
    const view = { ...table, name: names, readOnly: true, columns: { meta: { json: "meta" } } } as const;
    const mapped = defineResource("others", { schema: z.object({ id, meta }), table: view });
    expect((await start(storage, mapped)).warned).toEqual(expected.map((member) => `others: meta.${member}`));
  });
});
