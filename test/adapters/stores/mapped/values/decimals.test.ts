// @long

import { defineResource, type Resource } from "restwright";
import { batch } from "restwright/batch";
import { testService } from "restwright/testing";
import { transfer } from "restwright/transfer";
import { decimal } from "restwright/values";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { TableOptions } from "../../../../../src/ground/storage/tableOptions.js";
import { describeEngines } from "../engines.js";
import { expectEachRowOnce, type Page } from "./walk.js";

type Answer = { readonly status: number; readonly text: string; readonly body: unknown };
type Send = (method: string, path: string, body?: unknown, tenant?: string, headers?: Record<string, string>) => Promise<Answer>;

/** In the order of the numbers. */
const sorted = ["-10000000000.0", "-10.0001", "-10", "-9.5", "-0.0001", "0", "0.0001", "9.4999", "9.5", "10", "10.0001", "10000000000.0"] as const;

const canonical = (text: string) => {
  const [whole = "", fraction = ""] = text.split(".");
  return `${whole}.${fraction.slice(0, 4).padEnd(4, "0")}`;
};

function items(table?: TableOptions, options: { readonly scope?: () => object } = {}): Resource {
  const price = decimal({ precision: 15, scale: 4 });
  return defineResource("items", {
    schema: z.object({ id: z.int(), price: price.nullable().default(null), code: price.optional() }),
    generated: { id: table === undefined ? "increment" : "database" },
    unique: ["code"],
    ranges: true,
    ...options,
    ...(table && { table }),
  });
}

const mapped: TableOptions = { name: "items", managed: false, version: "hash", tenant: "shared" };

async function prices(send: Send, query: string): Promise<unknown> {
  const { status, text, body } = await send("GET", `/items?perPage=100&${query}`);
  return status === 200 ? (body as { data: { price: unknown }[] }).data.map(({ price }) => price) : `${status} ${text}`;
}

/** What each engine must answer. */
function expectDecimals(open: (table: boolean) => Promise<{ readonly send: Send }>, isMapped: boolean): void {
  test("decimals are compared and sorted as numbers, and shown with all digits of the scale", async () => {
    const { send } = await open(isMapped);
    const order = sorted.toSorted((one, other) => one.length - other.length);
    for (const price of [...order, null]) expect(await send("POST", "/items", { price })).toMatchObject({ status: 201 });
    const all = sorted.map(canonical);
    expect(await prices(send, "sort=price")).toEqual([null, ...all]);
    expect(await prices(send, "sort=-price")).toEqual([...all.toReversed(), null]);
    for (const [index, price] of all.entries()) {
      expect(await prices(send, `sort=price&price=${price}`)).toEqual([price]);
      expect(await prices(send, `sort=price&price[gt]=${price}`)).toEqual(all.slice(index + 1));
      expect(await prices(send, `sort=price&maxPrice=${price}`)).toEqual(all.slice(0, index + 1));
    }
    const above = all.slice(all.indexOf("9.5000"));
    expect(await prices(send, "sort=price&price[gte]=9.49990000000000000000000001")).toEqual(above);
    expect(await prices(send, "sort=price&price[gt]=9.4999000000")).toEqual(above);
    expect(await prices(send, "sort=price&price[lt]=-9.50000000000000000000000001")).toEqual(all.slice(0, 3));
    expect(await prices(send, "price=9.49990000000000000000000001")).toEqual([]);
    expect(await prices(send, "sort=price&price!=9.49990000000000000000000001")).toHaveLength(sorted.length + 1);
    expect(await prices(send, `price[gt]=${"9".repeat(150)}`)).toEqual([]);
    expect(await prices(send, "sort=price&price[in]=10,0.0,-0,9.50,77")).toEqual(["0.0000", "9.5000", "10.0000"]);
    expect(await prices(send, `sort=price&price=${Array.from({ length: 60 }, (_, index) => index).join(",")}`)).toEqual(["0.0000", "10.0000"]);
    for (const value of ["1e5", "+1", "07", ".5", "5.", "ten", "NaN", "1,5x", "1".repeat(300)]) {
      expect(await prices(send, `price=${encodeURIComponent(value)}`), value).toMatch(/^400/);
    }
    expect(await prices(send, "price[like]=1")).toMatch(/^400/);
  });

  test("each row comes once in pages forwards and backwards", async () => {
    const { send } = await open(isMapped);
    const rows = Array.from({ length: 60 }, (_, index) => ({ price: index % 7 === 0 ? null : `${(index % 5) - 2}.${(index * 37) % 100}` }));
    expect((await send("POST", "/items/batch", { items: rows })).status).toBeLessThan(300);
    for (const sort of ["price", "-price,id", "price,-id"]) {
      await expectEachRowOnce(async (cursor) => {
        const { body } = await send("GET", `/items?sort=${sort}&perPage=7${cursor === null ? "" : `&cursor=${cursor}`}`);
        return body as Page;
      }, rows.length);
    }
  });

  test("a decimal with too many digits is refused on every way, and never rounded", async () => {
    const { send } = await open(isMapped);
    const made = await send("POST", "/items", { price: "1.5", code: "7" });
    expect(made).toMatchObject({ status: 201, body: { price: "1.5000", code: "7.0000" } });
    const { id } = made.body as { id: number };
    for (const price of ["1.00005", "123456789012", "1.", "1e2", "", " 1", 1.5, true, "9".repeat(300)]) {
      const fault = { code: "VALIDATION_FAILED", errors: [{ code: "INVALID_VALUE", pointer: "/price" }] };
      expect(await send("POST", "/items", { price }), String(price)).toMatchObject({ status: 422, body: fault });
      expect(await send("PUT", `/items/${id}`, { price }), String(price)).toMatchObject({ status: 422, body: fault });
      const patch = await send("PATCH", `/items/${id}`, { price }, undefined, { "content-type": "application/merge-patch+json" });
      expect(patch, String(price)).toMatchObject({ status: 422, body: fault });
      expect(await send("POST", "/items/batch", { items: [{ price }, { price: "2" }] }), String(price)).toMatchObject({
        status: 207,
        body: { results: [{ status: 422 }, { status: 201 }] },
      });
      const strict = { prefer: "handling=strict" };
      expect((await send("POST", "/items/batch", { items: [{ price: "2" }, { price }] }, undefined, strict)).status, String(price)).toBe(422);
      expect(await send("POST", "/items/import?onError=continue", [{ price }, { price: "2" }]), String(price)).toMatchObject({
        status: 200,
        body: { errors: [{ code: "VALIDATION_FAILED" }] },
      });
    }
    expect(await prices(send, "id=1&sort=id")).toEqual(["1.5000"]);
    expect(await send("POST", "/items", { code: "7.0" })).toMatchObject({ status: 422, body: { errors: [{ code: "DUPLICATE_CODE" }] } });
    expect(await send("POST", "/items/batch", { items: [{ code: "7.000" }, { code: "8" }, { code: "8.0000" }] })).toMatchObject({
      status: 207,
      body: { results: [{ status: 422 }, { status: 201 }, { status: 422 }] },
    });
  });
}

describe("decimals in memory", () => {
  expectDecimals(async () => {
    const started = testService({ resources: [items()], use: [batch(), transfer()] });
    await started.service.start();
    const send: Send = async (method, path, body, _tenant, headers = {}) => {
      const answer = await started.fetch(path, { method, as: { id: "ann" }, ...(body !== undefined && { json: body }), headers });
      const text = await answer.text();
      return { status: answer.status, text, body: text.startsWith("{") || text.startsWith("[") ? JSON.parse(text) : undefined };
    };
    return { send };
  }, false);
});

describeEngines("decimals", (open, engine) => {
  expectDecimals(() => open(items()), false);

  test("decimals of thirty digits, inside objects and arrays too, are exact; a default and each text of a number have the canonical form", async () => {
    const amount = decimal({ precision: 30, scale: 4 });
    const orders = defineResource("orders", {
      schema: z.object({ id: z.int(), total: amount.default("1"), parts: z.array(amount), box: z.object({ least: amount.nullable() }) }),
      generated: { id: "increment" },
    });
    const { send, run } = await open(orders);
    const large = "98765432109876543210987654.3211";
    for (const total of [large, "98765432109876543210987654.3210", "-98765432109876543210987654.3211", undefined]) {
      const made = await send("POST", "/orders", { total, parts: ["1.50", "-2"], box: { least: "3" } });
      expect(made).toMatchObject({ status: 201, body: { total: total ?? "1.0000", parts: ["1.5000", "-2.0000"], box: { least: "3.0000" } } });
    }
    const totals = async (query: string) => {
      const { status, body, text } = await send("GET", `/orders?${query}`);
      return status === 200 ? (body as { data: { total: string }[] }).data.map(({ total }) => total) : text;
    };
    expect(await totals("sort=total")).toEqual([`-${large}`, "1.0000", "98765432109876543210987654.3210", large]);
    expect(await totals("total[gt]=98765432109876543210987654.32100001")).toEqual([large]);
    expect(await totals("parts=1.5&total=1")).toEqual(["1.0000"]);
    expect(await totals("box.least=3.0&total=1")).toEqual(["1.0000"]);
    expect(await totals("box.least=3.00001")).toEqual([]);
    expect(await totals("box.least[gt]=1")).toContain("OPERATOR");
    const [stored] = await run("select cast(total as text) as total from orders where id = 4");
    expect(stored).toEqual({ total: engine === "sqlite" ? "1" : "1.0000" });
  });

  test("a row that a scope compares in the service is judged by its number", async () => {
    const { send } = await open(items(undefined, { scope: () => ({ price: { gte: "9.5" } }) }));
    expect((await send("POST", "/items", { price: "10" })).status).toBe(201);
    expect((await send("POST", "/items", { price: "9.4999" })).status).toBe(403);
    expect((await send("PATCH", "/items/1", { price: "100" })).status).toBe(200);
  });
});

describeEngines("decimals in a table of a developer", (open, engine) => {
  const id = engine === "sqlite" ? "integer primary key" : "int generated by default as identity primary key";
  const create = `create table items (id ${id}, price decimal(15, 4), code decimal(15, 4) unique)`;
  expectDecimals(() => open(items(mapped), create), true);

  test("a stored value with more digits than the field is unreadable, and a value sent back as shown leaves the column as it is", async () => {
    const column = engine === "sqlite" ? "decimal" : "numeric";
    const stored = engine === "sqlite" ? "0.1 + 0.2" : "0.30000000000000004";
    const rows = `insert into items (id, price, code) values (1, ${stored}, 7), (2, 12.5, 8)`;
    const { send, run } = await open(items(mapped), `create table items (id ${id}, price ${column}, code ${column} unique)`, rows);
    expect((await send("GET", "/items/1")).status).toBe(500);
    expect(await send("GET", "/items/2")).toMatchObject({ status: 200, body: { price: "12.5000", code: "8.0000" } });
    const before = await run("select cast(price as text) as price, cast(code as text) as code from items where id = 2");
    expect((await send("PUT", "/items/2", { price: "12.5000", code: "8.0000" })).status).toBe(200);
    expect(await run("select cast(price as text) as price, cast(code as text) as code from items where id = 2")).toEqual(before);
  });

  test("unreadable decimals are null on request, in lists and their orders too", async () => {
    const column = engine === "sqlite" ? "decimal" : "numeric";
    const rows = `insert into items (id, price) values (1, 0.123456), (2, 12.5), (3, -1)`;
    const { send } = await open(
      items({ ...mapped, unreadable: "null" }),
      `create table items (id ${id}, price ${column}, code ${column} unique)`,
      rows,
    );
    expect(await prices(send, engine === "sqlite" ? "sort=id" : "sort=price")).toEqual(
      engine === "sqlite" ? [null, "12.5000", "-1.0000"] : [null, "-1.0000", "12.5000"],
    );
  });
});
