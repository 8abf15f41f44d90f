import { belongsTo, createService, defineResource } from "restwright";
import { memoryStorage } from "restwright/memory";
import { expectTypeOf, test } from "vitest";
import { z } from "zod";
import type { AllCalls } from "../../src/client/types/calls.js";
import type { TypesOf } from "../../src/engine/resource/callTypes/rowTypes.js";

const schema = z.object({ orderId: z.int(), line: z.string(), title: z.string() });
const lines = defineResource("lines", { schema, id: ["orderId", "line"] });
const service = createService({ resources: [lines], storage: memoryStorage() });
const calls = service.as({ id: "ann" }).lines;

test("a composite id is a tuple of its parts", () => {
  expectTypeOf(calls.get).parameter(0).toEqualTypeOf<readonly [number, string]>();
  expectTypeOf(calls.remove).parameter(0).toEqualTypeOf<readonly [number, string]>();
  // @ts-expect-error the parts are in the order of the id
  void (() => calls.get(["a", 7]));
  // @ts-expect-error a part is missing
  void (() => calls.update([7], { title: "t" }));
  // @ts-expect-error there is no third part
  void (() => calls.replace([7, "a", 1], { title: "t" }));
  // @ts-expect-error the text of the id is for paths
  void (() => calls.remove("7,a"));
});

test("its parts are fields of the schema", () => {
  // @ts-expect-error there is no such field
  void (() => defineResource("lines", { schema, id: ["orderId", "number"] }));
  void (() => calls.create({ orderId: 7, line: "a", title: "t" }));
  // @ts-expect-error clients choose both parts
  void (() => calls.create({ orderId: 7, title: "t" }));
});

const notes = defineResource("notes", {
  schema: z.object({ id: z.int(), orderId: z.int(), line: z.string().nullable() }),
  relations: { of: belongsTo("lines", ["orderId", "line"]) },
});
const shop = createService({ resources: [lines, notes], storage: memoryStorage() });

test("a relation by several fields gives the row, or null", () => {
  const included = () => shop.as({ id: "ann" }).notes.get(1, { include: ["of"] });
  expectTypeOf<Awaited<ReturnType<typeof included>>["of"]>().toEqualTypeOf<{ orderId: number; line: string; title: string } | null>();
});

test("the fields of its key are fields of the schema", () => {
  const schemaOfNotes = notes.schema;
  // @ts-expect-error there is no such field
  void (() => defineResource("notes", { schema: schemaOfNotes, relations: { of: belongsTo("lines", ["orderId", "number"]) } }));
  // @ts-expect-error several fields are at least two
  void (() => belongsTo("lines", []));
});

test("a client imports by the parts of the id in their order", () => {
  type Calls = AllCalls<typeof schema, TypesOf<typeof lines>, never>;
  type Key = NonNullable<Parameters<Calls["import"]>[1]>["key"];
  expectTypeOf<Key>().toEqualTypeOf<"orderId" | "line" | "title" | "orderId,line" | undefined>();
});

const views = defineResource("views", {
  schema: z.object({ at: z.date(), path: z.string() }),
  id: false,
  table: { name: "page_views", managed: false, tenant: "shared", readOnly: true },
});

test("rows without an id are in lists only", () => {
  const { views: listed } = createService({ resources: [views], storage: memoryStorage() }).as({ id: "ann" });
  const list = () => listed.list({ where: { path: "/" } });
  expectTypeOf<Awaited<ReturnType<typeof list>>["data"][number]>().toEqualTypeOf<{ at: Date; path: string }>();
  // @ts-expect-error nothing names a row
  void (() => listed.get(1));
  // @ts-expect-error nothing is written
  void (() => listed.create({ at: new Date(), path: "/" }));
});
