import { belongsTo, defineResource } from "restwright";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { linkResources } from "../../../../src/engine/resource/relations/link.js";
import type { FilterTree } from "../../../../src/language/query/grammar/tree.js";
import { isPlain, resolveRelated } from "../../../../src/language/query/grammar/tree.js";
import { eq, gte, has, not, oneOf } from "../ast.js";
import { admin, parse, problemFrom, refusal, search } from "../language.js";
import { outcomeOf } from "../outcome.js";

const isAdmin = ({ id }: { readonly id: string }) => id === "admin";
const users = defineResource("users", {
  schema: z.object({ id: z.int(), name: z.string(), plan: z.string().optional(), address: z.object({ city: z.string() }), joinedAt: z.date() }),
  access: { plan: { read: isAdmin, onForbidden: "hide" } },
});
const orders = (relation: boolean) =>
  defineResource("orders", {
    schema: z.object({ id: z.int(), customerId: z.int(), agentId: z.int().optional(), total: z.number() }),
    access: { agentId: { read: isAdmin, onForbidden: "hide" } },
    relations: relation
      ? {
          customer: belongsTo("users", "customerId", { filter: ["name", "address", "joinedAt", "plan"] }),
          agent: belongsTo("users", "agentId", { filter: ["name"] }),
        }
      : { customer: belongsTo("users", "customerId", { filter: ["name", "address", "joinedAt"] }) },
  });
const tableFor = (relation: boolean) => {
  const linked = linkResources([users, orders(relation)]).get("orders");
  if (linked === undefined) throw new Error("There are no orders.");
  return linked.table;
};
const table = tableFor(true);
const customer = (filter: Parameters<typeof not>[0]): FilterTree => ({ op: "relation", relation: "customer", filter });
const without = (tree: FilterTree): FilterTree => ({ op: "not", arg: tree });

describe("a condition on a related row", () => {
  test.each<[query: string, filter: FilterTree]>([
    ["customer.name=Ada", customer(eq("name", "Ada"))],
    ["customer[name]=Ada", customer(eq("name", "Ada"))],
    ["customer.name=Ada,Bo", customer(oneOf("name", "Ada", "Bo"))],
    ["customer.name[like]=*a", customer({ op: "like", path: ["name"], parts: [{ any: "many" }, "a"], fold: true })],
    ["customer[address][city]=Rom", customer(eq("address.city", "Rom"))],
    ["customer.joinedAt__gte=2026-01-31", customer(gte("joinedAt", new Date("2026-01-31T00:00:00Z")))],
    ["customer.name=*", customer(has("name"))],
    ["has=customer.name", customer(has("name"))],
    // Rows without a customer are among those whose customer is not called so.
    ["customer.name!=Ada", without(customer(eq("name", "Ada")))],
    ["customer.name!=Ada,Bo", without(customer(oneOf("name", "Ada", "Bo")))],
    ["customer.name[nin]=Ada,Bo", without(customer(oneOf("name", "Ada", "Bo")))],
    ["customer.name__nin=Ada", without(customer(eq("name", "Ada")))],
    ["customer.name!=*", without(customer(has("name")))],
  ])("%s", (query, filter) => {
    expect(parse(query, { table }).filter).toEqual(filter);
  });

  test("stands in a body by its path or in an object", () => {
    const filter = { op: "and", args: [customer(eq("name", "Ada")), without(customer(eq("address.city", "Rom")))] };
    expect(search({ filter: { "customer.name": "Ada", customer: { address: { city: { ne: "Rom" } } } } }, { table }).filter).toEqual(filter);
    expect(search({ filter: { customer: { name: [null, "Ada"] } } }, { table }).filter).toEqual({
      op: "or",
      args: [customer(eq("name", "Ada")), without(customer(has("name")))],
    });
  });

  test("is not sorted by, has no underscored name and no operators of its own", () => {
    expect(refusal("sort=customer.name", { table }).code).toBe("SORT_NOT_ALLOWED");
    expect(refusal("customer_name=x", { table }).code).toBe("UNKNOWN_FIELD");
    expect(refusal("customer=5", { table }).code).toBe("UNKNOWN_FIELD");
    expect(refusal("customer.name[all]=5", { table }).code).toBe("OPERATOR_NOT_ALLOWED");
    expect(problemFrom(() => search({ filter: { customer: {} } }, { table })).errors).toMatchObject([
      { code: "EMPTY_VALUE", pointer: "/filter/customer" },
    ]);
    expect(problemFrom(() => search({ filter: { customer: 5 } }, { table })).errors).toMatchObject([
      { code: "UNKNOWN_FIELD", pointer: "/filter/customer" },
    ]);
    expect(problemFrom(() => search({ filter: { customer: { or: [] } } }, { table })).errors).toMatchObject([
      { code: "UNKNOWN_FIELD", pointer: "/filter/customer/or" },
    ]);
  });

  test("on what the principal may not know of is unknown, the relation too", () => {
    const less = tableFor(false);
    for (const query of [
      "agent.name=x",
      "agent[name][eq]=x",
      "customer.plan=x",
      "customer.plan[foo]=x",
      "has=agent.name",
      "sort=agent.name",
      "agnt.name=x",
    ]) {
      expect(
        outcomeOf(() => parse(query, { table })),
        query,
      ).toBe(outcomeOf(() => parse(query, { table: less })));
      expect(refusal(query, { table }).code).toBe("UNKNOWN_FIELD");
    }
    for (const filter of [{ agent: { name: "x" } }, { agent: {} }, { agent: { x: 1 } }, { "agent.name": 1 }, { customer: { plan: "x" } }]) {
      expect(outcomeOf(() => search({ filter }, { table }))).toBe(outcomeOf(() => search({ filter }, { table: less })));
    }
    expect(parse("agent.name=x&customer.plan=x", { table, gate: admin }).filter?.op).toBe("and");
  });
});

describe("a tree with conditions on related rows", () => {
  const tree: FilterTree = { op: "or", args: [{ op: "and", args: [eq("total", 1), customer(eq("name", "Ada"))] }, without(customer(has("name")))] };

  test("is one that stores take once they are resolved", async () => {
    expect(isPlain(tree)).toBe(false);
    const resolved = await resolveRelated(tree, ({ relation, filter }) => Promise.resolve(oneOf(`${relation}Id`, filter.op)));
    expect(resolved).toEqual({
      op: "or",
      args: [{ op: "and", args: [eq("total", 1), oneOf("customerId", "eq")] }, not(oneOf("customerId", "has"))],
    });
    expect(isPlain(resolved)).toBe(true);
  });
});
