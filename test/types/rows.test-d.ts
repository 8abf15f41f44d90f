import { createService, defineResource, type ResourceRow, type Storage } from "restwright";
import { bytes, date } from "restwright/values";
import { expectTypeOf, test } from "vitest";
import { z } from "zod";

declare const storage: Storage;

const notes = defineResource("notes", {
  schema: z.object({
    id: z.int(),
    text: z.string().optional(),
    state: z.string().default("new"),
    length: z.string().transform(Number),
    tags: z.array(z.date()),
  }),
  generated: { id: "increment" },
});
const open = defineResource("open", { schema: z.looseObject({ id: z.int(), text: z.string() }), generated: { id: "increment" } });
const rest = defineResource("rest", { schema: z.object({ id: z.string(), text: z.string().optional() }).catchall(z.string().optional()) });
const system = () => createService({ resources: [notes, open, rest], storage }).asSystem();

test("rows are what zod makes of the schema", async () => {
  const shop = system();
  expectTypeOf(await shop.notes.get(7)).branded.toEqualTypeOf<ResourceRow<typeof notes>>();
  expectTypeOf(await shop.open.get(7)).branded.toEqualTypeOf<ResourceRow<typeof open>>();
  expectTypeOf(await shop.rest.get("a")).branded.toEqualTypeOf<ResourceRow<typeof rest>>();
});

test("new rows are what zod takes, without generated fields", () => {
  const shop = system();
  expectTypeOf(shop.notes.create)
    .parameter(0)
    .branded.toEqualTypeOf<{ text?: string | undefined; state?: string | undefined; length: string; tags: Date[]; readonly id?: never }>();
  expectTypeOf({ text: "a", more: true }).toExtend<Parameters<typeof shop.open.create>[0]>();
  expectTypeOf({ id: "a", more: "b" }).toExtend<Parameters<typeof shop.rest.create>[0]>();
  expectTypeOf({ more: true }).not.toExtend<Parameters<typeof shop.open.create>[0]>();
});

test("changes are members that zod takes, or null for optional ones", () => {
  expectTypeOf(system().notes.update).parameter(1).exclude<(row: never) => unknown>().branded.toEqualTypeOf<{
    readonly text?: string | null;
    readonly state?: string | null;
    readonly length?: string;
    readonly tags?: Date[];
    readonly id?: never;
  }>();
});

const files = defineResource("files", {
  schema: z.object({
    id: z.int(),
    name: z.string(),
    scan: bytes(),
    small: bytes({ maxBytes: 9 }).nullable(),
    old: bytes().optional(),
    blank: bytes().nullable().default(null),
    note: z.string(),
    day: date().nullable(),
  }),
  generated: { id: "increment" },
  heavy: ["note"],
});
const shown = defineResource("shown", { schema: z.object({ id: z.string(), scan: bytes() }), compact: ["id", "scan"] });

test("bytes are in rows only if they are asked for", async () => {
  const shop = createService({ resources: [files, shown], storage }).asSystem();
  interface File {
    id: number;
    name: string;
    day: string | null;
  }
  expectTypeOf((await shop.files.list()).data).branded.toEqualTypeOf<File[]>();
  expectTypeOf(await shop.files.get(7)).branded.toEqualTypeOf<File>();
  expectTypeOf(await shop.files.get(7, { fields: ["scan", "small"] })).branded.toEqualTypeOf<{ scan: string; small: string | null }>();
  expectTypeOf(await shop.files.get(7, { fields: ["*", "old"] })).branded.toEqualTypeOf<File & { old?: string | undefined }>();
  expectTypeOf((await shop.shown.list()).data).branded.toEqualTypeOf<{ id: string; scan: string }[]>();
  expectTypeOf<ResourceRow<typeof files>>().toHaveProperty("scan");
});
