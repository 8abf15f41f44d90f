import { belongsTo, defineResource, extend, type Resource, within } from "restwright";
import { expectTypeOf, test } from "vitest";
import { z } from "zod";

const schema = z.object({
  id: z.int(),
  ownerId: z.string(),
  total: z.number(),
  note: z.string().optional(),
  address: z.object({ city: z.string() }),
});
const generated = { id: "increment" } as const;

test("a wrong name in what a scope answers does not compile", () => {
  // @ts-expect-error: there is no field "owner"
  defineResource("a", { schema, generated, scope: ({ principal }) => ({ owner: principal.id }) });
  // @ts-expect-error: there is no field "owner"
  defineResource("b", { schema, generated, scope: async ({ principal }) => ({ owner: principal.id }) });
  defineResource("c", {
    schema,
    generated,
    // @ts-expect-error: there is no field "owner"
    scope: ({ principal }) => {
      return { ownerId: principal.id, owner: principal.id };
    },
  });
  defineResource("d", {
    schema,
    generated,
    // @ts-expect-error: there is no field "owner"
    scope({ principal }) {
      if (principal.id === "root") return true;
      return { owner: principal.id };
    },
  });
});

test("right names in what a scope answers compile", () => {
  defineResource("a", { schema, generated, scope: ({ principal }) => ({ ownerId: principal.id }) });
  defineResource("b", { schema, generated, scope: async ({ principal }) => principal.id === "root" || { ownerId: principal.id, total: { gte: 5 } } });
  defineResource("c", {
    schema,
    generated,
    scope({ principal, action }) {
      if (action === "read") return true;
      if (action === "remove") return within("project");
      return { or: [{ ownerId: principal.id }, { "address.city": ["Ulm"] }, { address: { city: { like: "U*" } } }] };
    },
  });
});

test("a wrong name in what a hook answers does not compile", () => {
  // @ts-expect-error: there is no field "totl"
  defineResource("a", { schema, generated, hooks: { beforeWrite: () => ({ totl: 5 }) } });
  // @ts-expect-error: there is no field "totl"
  defineResource("b", { schema, generated, hooks: { beforeWrite: async () => ({ totl: 5, total: 5 }) } });
  defineResource("c", {
    schema,
    generated,
    hooks: {
      // @ts-expect-error: there is no field "totl"
      beforeWrite({ kind }) {
        if (kind === "remove") return undefined;
        return { totl: 5 };
      },
    },
  });
  // @ts-expect-error: there is no field "totl"
  defineResource("d", { schema, generated, hooks: { beforeWrites: ({ writes }) => writes.map(() => ({ totl: 5 })) } });
});

test("right names in what a hook answers compile", () => {
  defineResource("a", { schema, generated, hooks: { beforeWrite: () => ({ total: 5, note: null }) } });
  defineResource("b", { schema, generated, hooks: { beforeWrite: async ({ kind }) => (kind === "remove" ? undefined : { total: 5 }) } });
  defineResource("c", {
    schema,
    generated,
    hooks: {
      beforeWrite({ next }) {
        if (next !== undefined) next.total.toFixed();
      },
      beforeWrites: ({ writes }) => writes.map(({ kind }) => (kind === "create" ? { total: 5 } : undefined)),
    },
  });
});

const base = defineResource("orders", { schema, generated, unique: ["ownerId"], access: { note: { read: false } } });

test("a wrong name in what rules of extend answer does not compile", () => {
  // @ts-expect-error: there is no field "owner"
  extend(base, { scope: ({ principal }) => ({ ownerId: principal.id, owner: principal.id }) });
  // @ts-expect-error: there is no field "totl"
  extend(base, { hooks: { beforeWrite: () => ({ totl: 5, total: 5 }) } });
  // @ts-expect-error: the schema is that of the collection
  extend(base, { schema });
  // @ts-expect-error: there is no field "owner"
  extend(base, { stamp: { owner: () => "7" } });
  // @ts-expect-error: there is no field "totl"
  extend(base, { sort: ["totl"] });
});

test("extend takes every option but the schema, and its types know them", () => {
  const extended = extend(base, {
    scope: ({ principal }) => ({ ownerId: principal.id }),
    stamp: { ownerId: ({ principal }) => principal.id },
    sort: ["total"],
    operations: ["list", "read", "create"],
    unique: ["total"],
    relations: { owner: belongsTo("users", "ownerId") },
    events: { "order.created": { on: "create", data: ({ total }) => ({ total }) } },
    actions: ({ action }) => ({ close: action({ on: "row", run: () => ({ total: 0 }) }) }),
    table: { softDelete: { column: "deleted_at" }, constraints: { positive: { field: "total", detail: "Must be above 0." } } },
    hooks: { beforeWrite: ({ kind, next }) => (kind === "remove" ? undefined : { total: next.total }) },
  });
  type Types<R> = R extends Resource<string, typeof schema, infer T> ? T : never;
  type Extended = Types<typeof extended>;
  expectTypeOf<Extended["stamped"]>().toEqualTypeOf<"ownerId">();
  expectTypeOf<Extended["sortable"]>().toEqualTypeOf<"total">();
  expectTypeOf<Extended["generated"]>().toEqualTypeOf<"id">();
  expectTypeOf<Extended["id"]>().toEqualTypeOf<"id">();
  expectTypeOf<Extended["operations"]>().toEqualTypeOf<"list" | "read" | "create">();
  expectTypeOf<Extended["writeOnly"]>().toEqualTypeOf<"note">();
  expectTypeOf<Extended["codes"]>().toEqualTypeOf<"DUPLICATE_ID" | "DUPLICATE_OWNER_ID" | "DUPLICATE_TOTAL">();
  expectTypeOf<keyof Extended["relations"]>().toEqualTypeOf<"owner">();
  expectTypeOf<keyof Extended["actions"]>().toEqualTypeOf<"close">();
  expectTypeOf<Extended["events"]["order.created"]>().toEqualTypeOf<{ total: number }>();
  // What it does not have stays.
  const again = extend(extended, { heavy: ["note"] });
  type Again = Types<typeof again>;
  expectTypeOf<Again["heavy"]>().toEqualTypeOf<"note">();
  expectTypeOf<Again["compact"]>().toEqualTypeOf<"id" | "ownerId" | "total" | "address">();
  expectTypeOf<Again["stamped"]>().toEqualTypeOf<"ownerId">();
  expectTypeOf<keyof Again["actions"]>().toEqualTypeOf<"close">();
  expectTypeOf<Again["operations"]>().toEqualTypeOf<"list" | "read" | "create">();
});
