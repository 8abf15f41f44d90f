import { defineResource } from "restwright";
import {
  type Cursor,
  defineQuery,
  type Filter,
  type FilterInput,
  type OperatorFor,
  type PathOf,
  type SortInput,
  type SortKey,
} from "restwright/query";
import { Secrets } from "restwright/secrets";
import { expectTypeOf, test } from "vitest";
import { z } from "zod";

const schema = z.object({
  id: z.int(),
  name: z.string(),
  status: z.enum(["open", "paid"]),
  level: z.literal([1, 2]),
  total: z.number(),
  big: z.bigint(),
  active: z.boolean(),
  createdAt: z.date(),
  note: z.string().nullable(),
  closedAt: z.date().optional(),
  tags: z.array(z.string()),
  lines: z.array(z.object({ sku: z.string() })),
  either: z.union([z.int(), z.string()]),
  extra: z.record(z.string(), z.string()),
  address: z.object({ city: z.string(), geo: z.object({ lat: z.number() }).nullable() }),
});
type Order = z.output<typeof schema>;
const orders = defineQuery(schema);

type Equality = "eq" | "ne" | "in" | "nin" | "exists";
type Ordered = Equality | "gt" | "gte" | "lt" | "lte";

test("the operators of a field follow from its type", () => {
  expectTypeOf<OperatorFor<string>>().toEqualTypeOf<Ordered | "like">();
  expectTypeOf<OperatorFor<string | null | undefined>>().toEqualTypeOf<Ordered | "like">();
  expectTypeOf<OperatorFor<number>>().toEqualTypeOf<Ordered>();
  expectTypeOf<OperatorFor<bigint>>().toEqualTypeOf<Ordered>();
  expectTypeOf<OperatorFor<Date | undefined>>().toEqualTypeOf<Ordered>();
  expectTypeOf<OperatorFor<boolean>>().toEqualTypeOf<Equality>();
  expectTypeOf<OperatorFor<"open" | "paid">>().toEqualTypeOf<Equality>();
  expectTypeOf<OperatorFor<1 | 2>>().toEqualTypeOf<Equality>();
  expectTypeOf<OperatorFor<number | string>>().toEqualTypeOf<Equality>();
  expectTypeOf<OperatorFor<string[]>>().toEqualTypeOf<Equality | "all">();
  expectTypeOf<OperatorFor<{ sku: string }[]>>().toEqualTypeOf<"exists">();
  expectTypeOf<OperatorFor<Order["address"]>>().toEqualTypeOf<"exists">();
  expectTypeOf<OperatorFor<Order["extra"]>>().toEqualTypeOf<"exists">();
});

test("paths go into objects, not into lists, dates or records", () => {
  type Nested = "address.city" | "address.geo" | "address.geo.lat";
  expectTypeOf<PathOf<Order>>().toEqualTypeOf<Extract<keyof Order, string> | Nested>();
  expectTypeOf<SortInput<Order>>().toEqualTypeOf<PathOf<Order> | `-${PathOf<Order>}`>();
});

test("right filters compile", () => {
  const right = () => {
    orders.where({ name: "a", status: ["open", "paid"], total: { gte: 5, lt: 10 }, active: true, level: 2 });
    orders.where({ name: { like: "a*", ne: "b" }, createdAt: { gt: new Date(0), lte: "2026-01-31" }, big: { gt: 5, lt: 7n, ne: "9" } });
    orders.where({ note: null, closedAt: { eq: null, in: [null, "2026-01-31"] }, tags: { all: ["a"] }, address: null });
    orders.where({ tags: "a", either: [5, "x"], lines: { exists: true }, extra: { exists: false } });
    orders.where({ "address.city": "Rom", "address.geo.lat": { gt: 5 }, "address.geo": null });
    orders.where({ address: { city: { like: "R*" }, geo: { lat: [1, 2] } } });
    orders.where({ or: [{ status: "open" }, { not: { note: null } }], and: [{ total: 5 }, { or: [] }] });
    orders.orderBy("-total", "address.city", "-address.geo.lat");
  };
  expectTypeOf(right).returns.toBeVoid();
  expectTypeOf(orders.where).returns.toEqualTypeOf<Filter | undefined>();
  expectTypeOf(orders.orderBy("total")).toEqualTypeOf<readonly SortKey[]>();
  expectTypeOf(orders.parse("").filter).toEqualTypeOf<Filter | undefined>();
  expectTypeOf(orders.search).parameter(0).toBeUnknown();
});

test("an unknown path does not compile", () => {
  const wrong = () => {
    // @ts-expect-error: no such field
    orders.where({ nmae: "a" });
    // @ts-expect-error: no such member
    orders.where({ "address.citty": "a" });
    // @ts-expect-error: no such member of a nested object
    orders.where({ address: { citty: "a" } });
    // @ts-expect-error: lists have no paths
    orders.where({ "lines.sku": "a" });
    // @ts-expect-error: nor have records
    orders.where({ "extra.a": "a" });
    // @ts-expect-error: no such field within a junction
    orders.where({ or: [{ nmae: "a" }] });
    // @ts-expect-error: no such field within a negation
    orders.where({ not: { nmae: "a" } });
    // @ts-expect-error: no such field to sort by
    orders.orderBy("nmae");
    // @ts-expect-error: descending is a minus
    orders.orderBy("total desc");
  };
  expectTypeOf(wrong).returns.toBeVoid();
});

test("an operator that the type does not have does not compile", () => {
  const wrong = () => {
    // @ts-expect-error: numbers are not like anything
    orders.where({ total: { like: "5" } });
    // @ts-expect-error: an enumeration has no order
    orders.where({ status: { gt: "open" } });
    // @ts-expect-error: nor have literals
    orders.where({ level: { gt: 1 } });
    // @ts-expect-error: nor have booleans
    orders.where({ active: { lt: true } });
    // @ts-expect-error: nor have lists
    orders.where({ tags: { gt: "a" } });
    // @ts-expect-error: a text does not hold all of anything
    orders.where({ name: { all: ["a"] } });
    // @ts-expect-error: an object can only be there
    orders.where({ address: { eq: "Rom" } });
    // @ts-expect-error: there is no such operator
    orders.where({ name: { contains: "a" } });
  };
  expectTypeOf(wrong).returns.toBeVoid();
});

test("a value of another type does not compile", () => {
  const wrong = () => {
    // @ts-expect-error: a text for a number
    orders.where({ total: "5" });
    // @ts-expect-error: a text for a number, within an operator
    orders.where({ total: { gte: "5" } });
    // @ts-expect-error: none of the enumeration
    orders.where({ status: "lost" });
    // @ts-expect-error: none of the enumeration, in a list
    orders.where({ status: ["open", "lost"] });
    // @ts-expect-error: none of the literals
    orders.where({ level: 3 });
    // @ts-expect-error: a number for a text
    orders.where({ "address.city": 5 });
    // @ts-expect-error: a number for a date
    orders.where({ createdAt: 5 });
    // @ts-expect-error: null, where the field always has a value
    orders.where({ name: null });
    // @ts-expect-error: a list for one end of a range
    orders.where({ total: { gt: [1] } });
    // @ts-expect-error: one value for a list
    orders.where({ total: { in: 1 } });
    // @ts-expect-error: a text for a truth
    orders.where({ name: { exists: "true" } });
    // @ts-expect-error: a number for a pattern
    orders.where({ name: { like: 5 } });
    // @ts-expect-error: junctions hold lists
    orders.where({ or: { name: "a" } });
    // @ts-expect-error: a negation holds one filter
    orders.where({ not: [{ name: "a" }] });
    // @ts-expect-error: undefined asks for nothing that could be answered
    orders.where({ name: undefined });
  };
  expectTypeOf(wrong).returns.toBeVoid();
});

test("options name fields of the schema, and operators of their types", () => {
  const right = () => {
    defineQuery(schema, { id: "name", filter: ["name", "total"], sort: ["total"], search: ["name", "address.city"], param: { name: "called" } });
    defineQuery(schema, { filter: { name: true, total: ["gte", "lte"], tags: ["all"], status: ["in"], address: ["exists"] } });
    defineQuery(schema, { ranges: { minTotal: "total", minLat: "address.geo.lat" } });
    defineQuery(z.looseObject({ id: z.int(), name: z.string() }), { filter: ["name"], ranges: true });
  };
  const wrong = () => {
    // @ts-expect-error: no such id
    defineQuery(schema, { id: "key" });
    // @ts-expect-error: no such field
    defineQuery(schema, { filter: ["nmae"] });
    // @ts-expect-error: no such field, with operators
    defineQuery(schema, { filter: { nmae: true } });
    // @ts-expect-error: numbers are not like anything
    defineQuery(schema, { filter: { total: ["like"] } });
    // @ts-expect-error: an enumeration has no order
    defineQuery(schema, { filter: { status: ["gt"] } });
    // @ts-expect-error: false is not how a field is left out
    defineQuery(schema, { filter: { total: false } });
    // @ts-expect-error: no such field
    defineQuery(schema, { sort: ["-total"] });
    // @ts-expect-error: no such path
    defineQuery(schema, { search: ["address.citty"] });
    // @ts-expect-error: no such path
    defineQuery(schema, { ranges: { minTotl: "totl" } });
    // @ts-expect-error: no such field
    defineQuery(schema, { param: { nmae: "x" } });
    // @ts-expect-error: no such field of a loose object
    defineQuery(z.looseObject({ id: z.int() }), { sort: ["name"] });
  };
  expectTypeOf(right).returns.toBeVoid();
  expectTypeOf(wrong).returns.toBeVoid();
});

test("resources take the same options", () => {
  const generated = { id: "increment" } as const;
  const right = () => {
    defineResource("orders", { schema, generated, filter: { total: ["gte"], name: true }, search: ["address.city"], ranges: { minTotal: "total" } });
    defineResource("orders", { schema, generated, filter: ["status"], sort: ["total"], ranges: true });
  };
  const wrong = () => {
    // @ts-expect-error: numbers are not like anything
    defineResource("orders", { schema, generated, filter: { total: ["like"] } });
    // @ts-expect-error: no such field
    defineResource("orders", { schema, generated, filter: ["nmae"] });
    // @ts-expect-error: no such path
    defineResource("orders", { schema, generated, search: ["address.citty"] });
    // @ts-expect-error: no such path
    defineResource("orders", { schema, generated, ranges: { minTotl: "totl" } });
  };
  expectTypeOf(right).returns.toBeVoid();
  expectTypeOf(wrong).returns.toBeVoid();
});

test("cursors take cursors, and a filter has a name of its own", () => {
  const cursors = orders.cursors(orders.parse(""), new Secrets(["a secret of sixteen bytes"]).signer("orders"));
  expectTypeOf(cursors.read).returns.toEqualTypeOf<Cursor | undefined>();
  expectTypeOf(cursors.place).returns.toEqualTypeOf<Filter>();
  expectTypeOf<FilterInput<Order>>().toExtend<Parameters<typeof orders.where>[0]>();
  // @ts-expect-error: a cursor goes one of two ways
  cursors.write({ direction: "next", values: [] });
});
