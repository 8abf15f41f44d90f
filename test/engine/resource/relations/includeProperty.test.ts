// @slow

import fc from "fast-check";
import type { Storage } from "restwright";
import { memoryStorage } from "restwright/memory";
import { sqliteStorage } from "restwright/sqlite";
import { describe, expect, test } from "vitest";
import { create, setUpRelated } from "../relatedResources.js";

const includedRows = 2;

interface Data {
  readonly companies: readonly { readonly id: string; readonly name: string }[];
  readonly users: readonly { readonly name: string; readonly companyId: string | null; readonly managerId: number | null }[];
  readonly orders: readonly { readonly customerId: number; readonly sellerId?: number }[];
}

const userId = fc.integer({ min: 1, max: 7 });
const data: fc.Arbitrary<Data> = fc.record({
  companies: fc.subarray(["a", "b", "c"]).map((ids) => ids.map((id) => ({ id, name: id.toUpperCase() }))),
  users: fc.array(
    fc.record({
      name: fc.constantFrom("Ada", "Bob"),
      companyId: fc.constantFrom("a", "b", "c", null),
      managerId: fc.option(userId),
    }),
    { maxLength: 6 },
  ),
  orders: fc.array(fc.record({ customerId: userId, sellerId: userId }, { requiredKeys: ["customerId"] }), { maxLength: 8 }),
});

const paths = ["company", "company.users", "manager", "manager.company", "manager.orders", "reports", "reports.manager", "orders", "orders.customer"];
const deepPaths = [...paths, "orders.seller.company", "reports.orders.customer", "manager.manager.reports", "company.users.orders"];

type Row = Readonly<Record<string, unknown>>;
interface Tree extends ReadonlyMap<string, Tree> {}

function treeOf(included: readonly string[]): Tree {
  const root = new Map<string, Tree>();
  for (const path of included) {
    let node = root;
    for (const step of path.split(".")) {
      const next = (node.get(step) ?? new Map()) as Map<string, Tree>;
      node.set(step, next);
      node = next;
    }
  }
  return root;
}

/** What following each key by itself would show. */
function expandOneByOne(tables: Readonly<Record<string, readonly Row[]>>, collection: string, row: Row, tree: Tree): Row {
  const steps: Readonly<Record<string, readonly [target: string, own: string, others: string, many: boolean]>> = {
    company: ["companies", "companyId", "id", false],
    manager: ["users", "managerId", "id", false],
    customer: ["users", "customerId", "id", false],
    seller: ["users", "sellerId", "id", false],
    users: ["users", "id", "companyId", true],
    reports: ["users", "id", "managerId", true],
    orders: ["orders", "id", "customerId", true],
  };
  const shown: Record<string, unknown> = { ...row };
  if (collection === "orders") delete shown["sellerId"];
  for (const [name, below] of tree) {
    const [target, own, others, many] = steps[name] ?? ["", "", "", false];
    const value = row[own];
    const found = value === undefined || value === null ? [] : (tables[target] ?? []).filter((each) => each[others] === value);
    const expanded = found.map((each) => expandOneByOne(tables, target, each, below));
    shown[name] = many ? expanded.slice(0, includedRows) : (expanded[0] ?? null);
    if (many && found.length > includedRows) shown[`${name}Truncated`] = true;
  }
  return shown;
}

async function check(open: () => Storage, { companies, users, orders }: Data, included: readonly string[]): Promise<void> {
  const { send, service, callsOf } = setUpRelated({ storage: open(), limits: { includedRows, includes: 20 } });
  await create(send, "companies", companies);
  await create(send, "users", users);
  await create(send, "orders", orders);
  const number = (row: Row, index: number): Row => ({ id: index + 1, ...row });
  const tables = { companies, users: users.map(number), orders: orders.map((row, index) => ({ ...number(row, index), status: "open" })) };
  const tree = treeOf(included);
  let answer: { readonly data: unknown } = { data: undefined };
  const calls = await callsOf(async () => {
    answer = (await send({ target: `/users?include=${included.join(",")}` })).json;
  });
  expect(answer.data).toEqual(tables.users.map((row) => expandOneByOne(tables, "users", row, tree)));
  const relations = new Set(included.flatMap((path) => path.split(".").map((_, index, steps) => steps.slice(0, index + 1).join("."))));
  expect(calls.length).toBeLessThanOrEqual(1 + relations.size);
  await service.close();
}

describe("including is following each key by itself, with one call a relation and level", () => {
  test.each([
    ["memory", () => memoryStorage(), 150],
    ["SQLite", () => sqliteStorage({ path: ":memory:" }), 20],
  ] as const)("%s", async (_, open, numRuns) => {
    const included = fc.subarray(deepPaths, { minLength: 1, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(data, included, (rows, asked) => check(open, rows, asked)),
      { numRuns },
    );
  });
});
