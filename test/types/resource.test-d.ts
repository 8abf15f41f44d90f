import { belongsTo, defineResource, type Resource, type ResourceRow } from "restwright";
import { expectTypeOf, test } from "vitest";
import { z } from "zod";

const schema = z.object({
  id: z.int(),
  name: z.string(),
  status: z.enum(["open", "paid"]).default("open"),
  createdAt: z.date(),
  note: z.string().optional(),
  ownerId: z.int(),
});

test("a row has the types of the schema", () => {
  const things = defineResource("things", { schema, generated: { id: "increment" } });
  expectTypeOf<ResourceRow<typeof things>>().toEqualTypeOf<{
    id: number;
    name: string;
    status: "open" | "paid";
    createdAt: Date;
    note?: string | undefined;
    ownerId: number;
  }>();
  expectTypeOf(things.name).toEqualTypeOf<"things">();
  expectTypeOf(things).toExtend<Resource>();
});

test("a wrong field name does not compile", () => {
  const wrong = () => {
    // @ts-expect-error: no such field
    defineResource("things", { schema, unique: ["nmae"] });
    // @ts-expect-error: no such field in a composite key
    defineResource("things", { schema, unique: [["name", "stauts"]] });
    // @ts-expect-error: no such field
    defineResource("things", { schema, compact: ["id", "nmae"] });
    // @ts-expect-error: no such field
    defineResource("things", { schema, access: { nmae: { read: false } } });
    // @ts-expect-error: no such foreign key
    defineResource("things", { schema, relations: { owner: belongsTo("users", "owner") } });
    // @ts-expect-error: no such id
    defineResource("things", { schema, id: "key" });
    // @ts-expect-error: no such field
    defineResource("things", { schema, index: ["nmae"] });
    // @ts-expect-error: no such field in an index of two
    defineResource("things", { schema, index: [["name", "nmae"]] });
  };
  expectTypeOf(wrong).returns.toBeVoid();
});

test("a generator must fit its field", () => {
  const wrong = () => {
    // @ts-expect-error: a number cannot be a ULID
    defineResource("things", { schema, generated: { id: "ulid" } });
    // @ts-expect-error: text cannot be counted
    defineResource("things", { schema, generated: { name: "increment" } });
    // @ts-expect-error: a Date is no counter
    defineResource("things", { schema, generated: { createdAt: "increment" } });
  };
  const right = () => defineResource("things", { schema, generated: { id: "increment", createdAt: "createdAt" } });
  expectTypeOf(wrong).returns.toBeVoid();
  expectTypeOf(right).returns.toExtend<Resource>();
});

test("an optional field can be generated, and a loose object still knows its own fields", () => {
  const right = () => {
    defineResource("things", {
      schema: z.object({ id: z.int(), updatedAt: z.date().optional() }),
      generated: { id: "increment", updatedAt: "updatedAt" },
    });
    defineResource("things", { schema: z.looseObject({ id: z.int(), name: z.string() }), generated: { id: "increment" }, compact: ["name"] });
    // @ts-expect-error: no such field
    defineResource("things", { schema: z.looseObject({ id: z.int(), name: z.string() }), compact: ["nmae"] });
  };
  expectTypeOf(right).returns.toBeVoid();
});

test("a misspelled directive of the cache does not compile", () => {
  const wrong = () => {
    // @ts-expect-error: it is maxAge
    defineResource("things", { schema, cache: { private: true, maxage: 60 } });
    // @ts-expect-error: seconds are a number
    defineResource("things", { schema, cache: { maxAge: "60" } });
    // @ts-expect-error: only reading can be open
    defineResource("things", { schema, anonymous: "write" });
  };
  expectTypeOf(wrong).toBeFunction();
  expectTypeOf(defineResource("things", { schema, anonymous: "read", cache: { public: true, maxAge: 60, shared: true } })).toExtend<Resource>();
});
