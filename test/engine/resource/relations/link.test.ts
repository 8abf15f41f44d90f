import { belongsTo, ConfigurationError, defineResource, hasMany } from "restwright";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { linkResources } from "../../../../src/engine/resource/relations/link.js";

const users = defineResource("users", {
  schema: z.object({ id: z.int(), managerId: z.int().nullable() }),
  relations: { manager: belongsTo("users", "managerId"), orders: hasMany("orders", "customerId") },
});
const orders = defineResource("orders", {
  schema: z.object({ id: z.int(), customerId: z.int() }),
  relations: { customer: belongsTo("users", "customerId") },
});

describe("linked resources", () => {
  const linked = linkResources([users, orders]);

  test("are found by their names, with their own fields and views", () => {
    expect([...linked.keys()]).toEqual(["users", "orders"]);
    expect(linked.get("users")).toMatchObject({ name: "users", resource: users, fields: users.fields, views: users.views });
  });

  test("lead to one another, in circles and to themselves", () => {
    const customer = linked.get("orders")?.relations.get("customer");
    expect(customer?.target).toBe(linked.get("users"));
    expect(customer?.target.relations.get("orders")?.target).toBe(linked.get("orders"));
    expect(linked.get("users")?.relations.get("manager")?.target).toBe(linked.get("users"));
  });

  test.each([
    ["orders", "customer", { kind: "belongsTo", many: false }, orders.fields.get("customerId")],
    ["users", "orders", { kind: "hasMany", many: true }, orders.fields.get("customerId")],
    ["users", "manager", { kind: "belongsTo", many: false }, users.fields.get("managerId")],
  ] as const)("of %s know by %s where the foreign key stands", (resource, name, kind, key) => {
    const relation = linked.get(resource)?.relations.get(name);
    expect(relation).toMatchObject({ name, ...kind });
    expect(relation?.key).toBe(key);
  });
});

test.each([
  ["a collection that is not there", [orders], /the relation "customer" names "users", which is not a resource/],
  [
    "a foreign key that the other collection lacks",
    [defineResource("users", { schema: z.object({ id: z.int() }), relations: { orders: hasMany("orders", "userId") } }), orders],
    /the relation "orders" names "userId", which is not a field of "orders"/,
  ],
])("a relation that names %s is refused", (_, resources, message) => {
  expect(() => linkResources(resources)).toThrow(ConfigurationError);
  expect(() => linkResources(resources)).toThrow(message);
});
