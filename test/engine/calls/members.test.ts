import { ConfigurationError, createService, defineResource } from "restwright";
import { memoryStorage } from "restwright/memory";
import { expect, test } from "vitest";
import { z } from "zod";
import { ada, logs, member, openShop, resources, users } from "./shop.js";

const schema = z.object({ id: z.int(), name: z.string() });

test("a shop has a member for each collection, made when it is used, and the same each time", async () => {
  const shop = openShop(memoryStorage()).as(ada);
  for (const resource of resources) expect(member(shop, resource.name)).toBe(shop.of(resource));
  expect(await member(shop, "users").create({ name: "Ada" })).toMatchObject({ id: 1 });
});

test("a shop can be awaited and logged: it has no member that a collection does not have", async () => {
  const shop = openShop(memoryStorage()).as(ada);
  expect(await Promise.resolve(shop)).toBe(shop);
  for (const name of ["then", "toJSON", "constructor", "toString", "__proto__", "nothing"]) expect(Reflect.get(shop, name), name).toBeUndefined();
  expect(JSON.stringify(shop)).toBe("{}");
  expect(Reflect.get(shop.of(users), "then")).toBeUndefined();
});

test("collections may have names of members of objects", async () => {
  const constructors = defineResource("constructor", { schema });
  const service = openShop(memoryStorage(), { resources: [constructors] });
  expect(await member(service.asSystem(), "constructor").create({ id: 1, name: "a" })).toEqual({ id: 1, name: "a" });
});

test.each(["then", "toJSON", "of", "as", "asSystem", "transaction"])('no resource can be called "%s"', (name) => {
  const create = () => createService({ resources: [defineResource(name, { schema })], storage: memoryStorage() });
  expect(create).toThrow(ConfigurationError);
  expect(create).toThrow(`No resource can be called "${name}"`);
});

test("operations that clients do not have are missing, but the system has all", () => {
  const service = openShop(memoryStorage());
  const shop = service.as(ada);
  expect(Object.keys(shop.of(logs)).toSorted()).toEqual(["count", "get", "list", "walk"]);
  expect(Object.keys(service.asSystem().of(logs)).toSorted()).toEqual(Object.keys(shop.of(users)).toSorted());
  expect(Object.keys(shop.of(users)).toSorted()).toEqual(["count", "create", "get", "list", "remove", "replace", "update", "walk"]);
});

test("a resource of another service is refused", () => {
  const shop = openShop(memoryStorage()).as(ada);
  expect(() => shop.of(defineResource("strangers", { schema }))).toThrow('"strangers" is not a resource of this service: pass one of users, ');
  for (const given of ["users", undefined, null, 7, {}]) {
    expect(() => shop.of(given as never)).toThrow(ConfigurationError);
    expect(() => shop.of(given as never)).toThrow("is not a resource of this service");
  }
  expect(() => shop.of(defineResource("users", { schema }))).toThrow(ConfigurationError);
});

test("what is not a principal is refused", async () => {
  const service = openShop(memoryStorage());
  for (const principal of [undefined, null, {}, { id: "" }, { id: 7 }, { id: "a", tenant: "" }, { id: "a", tenant: 7 }, "ada"]) {
    expect(() => service.as(principal as never)).toThrow(ConfigurationError);
    await expect(service.transaction(principal as never, async () => 1)).rejects.toThrow("A principal must be an object");
    await expect(service.transaction(ada, async (tx) => tx.as(principal as never))).rejects.toThrow(ConfigurationError);
  }
  expect(() => service.asSystem({ tennant: "a" })).toThrow('did you mean "tenant"');
  expect(() => service.asSystem({ tenant: "" })).toThrow(ConfigurationError);
  await service.transaction(ada, async (tx) => {
    expect(() => tx.as({} as never)).toThrow(ConfigurationError);
    expect(() => tx.asSystem({ tennant: "a" })).toThrow('did you mean "tenant"');
  });
});
