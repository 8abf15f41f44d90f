import { describe, expect, test } from "vitest";
import { ask, orders, type Texts } from "./collections.js";

const [admin, clerk] = [{ id: "admin" }, { id: "clerk" }];
const row = {
  id: 1,
  status: "open",
  total: 5,
  big: 9007199254740993n,
  address: { city: "Paris", zip: "75001", geo: { lat: 1, lon: null }, stray: true },
  lines: [
    { sku: "a", quantity: 1, price: 2 },
    { sku: "b", quantity: 3, price: 4 },
  ],
  meta: { created: { by: "Ada", at: "2026-01-01" } },
  payload: [[{ a: 1, b: 2 }], "text", null],
  either: "cash",
  notes: "…",
  margin: 0.2,
  ssn: "123",
  secret: "s",
  customerId: 7,
  _version: "v",
};

function view(texts: Texts, { id } = clerk, only?: readonly string[]) {
  const { selection, problems } = ask(texts, { id });
  expect(problems).toEqual([]);
  return orders.views.chosen(selection, "full", { id }, only);
}

describe("a chosen view", () => {
  const cases: [fields: string, value: unknown][] = [
    ["total,id", { total: 5, id: 1 }],
    ["big", { big: "9007199254740993" }],
    ["address.city", { address: { city: "Paris" } }],
    ["address{geo{lon},zip}", { address: { geo: { lon: null }, zip: "75001" } }],
    ["address{-zip,-geo.lat}", { address: { city: "Paris", geo: { lon: null }, stray: true } }],
    ["lines.sku", { lines: [{ sku: "a" }, { sku: "b" }] }],
    ["lines{-price,-sku}", { lines: [{ quantity: 1 }, { quantity: 3 }] }],
    ["meta.created.by,meta.gone.at", { meta: { created: { by: "Ada" } } }],
    ["payload.a", { payload: [[{ a: 1 }], "text", null] }],
    ["either.card", { either: "cash" }],
    ["payload.toString,payload.constructor", { payload: [[{}], "text", null] }],
  ];

  test.each(cases)("%s", (fields, value) => {
    const selected = view({ fields }).select(row);
    expect(JSON.stringify(selected)).toBe(JSON.stringify(value));
  });

  test("shows null only where the schema says nullable", () => {
    expect(view({ fields: "id,address.city,big,loose.known" }).select({ id: 1 })).toEqual({ id: 1, address: null });
    expect(view({ fields: "id,address.city" }).select({ id: 1, address: null })).toEqual({ id: 1, address: null });
  });

  test("leaves the row as it is", () => {
    const before = structuredClone(row);
    view({ fields: "*,-address.city,-lines.sku" }).select(row);
    expect(row).toEqual(before);
  });

  test("shows nothing that the principal, or the answer for this row, does not allow", () => {
    const { selection } = ask({ fields: "id,margin,ssn" }, admin);
    expect(orders.views.chosen(selection, "full", admin).select(row)).toEqual({ id: 1, margin: 0.2, ssn: "123" });
    expect(orders.views.chosen(selection, "full", clerk).select(row)).toEqual({ id: 1 });
    expect(orders.views.chosen(selection, "full", admin, ["ssn", "total"]).select(row)).toEqual({ ssn: "123" });
  });

  test("is the default view where nothing is chosen", () => {
    const { selection } = ask({ include: "customer" });
    expect(orders.views.chosen(selection, "compact", clerk)).toBe(orders.views.of("compact", clerk));
  });

  test("names the columns that it reads", () => {
    expect(view({ fields: "notes,address.city" }).columns).toEqual(["notes", "address"]);
    expect(view({ fields: "customer.name" }).columns).toEqual([]);
  });

  test("has a tag of its own for each choice, order and all, and one for each spelling of it", () => {
    const choices = ["id,status", "status,id", "id", "address", "address.city", "address{-city}", "address{city,zip}", "notes"];
    expect(new Set(choices.map((fields) => view({ fields }).tag)).size).toBe(choices.length);
    expect(view({ fields: "address.city,id" }).tag).toMatch(/^[0-9a-f]{8}$/);
    expect(view({ fields: "address.city,id" }).tag).toBe(view({ fields: "address{ city },id,id" }).tag);
    expect(view({ fields: "id,status" }).tag).toBe(view({ fields: "id,status,audit" }).tag);
  });

  test("is compiled once for a choice and its rights, and kept while it is used", () => {
    const kept = view({ fields: "id,address.city" });
    for (let index = 0; index < 200; index++) view({ fields: `payload.x${index}` });
    expect(view({ fields: "id,address{city}" })).toBe(kept);
    for (let index = 0; index < 200; index++) view({ fields: `payload.y${index}` });
    expect(view({ fields: "id,address{city}" })).toBe(kept);
    for (let index = 0; index < 300; index++) view({ fields: `payload.z${index}` });
    expect(view({ fields: "id,address{city}" })).not.toBe(kept);
    expect(view({ fields: "id,address{city}" }, admin)).not.toBe(view({ fields: "id,address{city}" }));
  });

  test("is not kept where a client made up very long names", () => {
    const fields = `payload.${"x".repeat(2_000)}`;
    expect(view({ fields })).not.toBe(view({ fields }));
  });

  test("with names that look like the text of a choice is a view of its own", () => {
    const one = view({ fields: `payload{"a"}` });
    const other = view({ fields: "payload{a}" });
    expect(one.tag).not.toBe(other.tag);
    expect(other.select({ payload: { a: 1 } })).toEqual({ payload: { a: 1 } });
    expect(one.select({ payload: { '"a"': 2 } })).toEqual({ payload: { '"a"': 2 } });
  });
});
