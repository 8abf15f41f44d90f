import { defineResource, type Principal } from "restwright";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { openShop, stores } from "./shop.js";

const asked: string[] = [];

const notes = defineResource("notes", {
  schema: z.object({ id: z.int(), ownerId: z.string(), text: z.string(), shared: z.boolean().default(false) }),
  generated: { id: "increment" },
  stamp: { ownerId: ({ principal }) => principal.id },
  scope: ({ principal, action, when }) => {
    asked.push(`${action} ${when}`);
    if (principal.claims?.["role"] === "admin") return true;
    return action === "read" ? { or: [{ ownerId: principal.id }, { shared: true }] } : { ownerId: principal.id };
  },
});

const ada: Principal = { id: "ada" };
const bo: Principal = { id: "bo" };

describe.each(stores)("scopes of code in %s", (_, open) => {
  async function filled() {
    const service = openShop(open(), { resources: [notes] });
    const of = (principal: Principal) => service.as(principal).of(notes);
    await of(ada).create({ text: "mine" });
    await of(ada).create({ text: "ours", shared: true });
    await of(bo).create({ text: "his" });
    return { service, ada: of(ada), bo: of(bo) };
  }

  test("reads have only rows in scope", async () => {
    const { bo } = await filled();
    expect((await bo.list({ fields: "text" })).data).toEqual([{ text: "ours" }, { text: "his" }]);
    expect(await bo.count()).toBe(2);
    expect(await bo.count({ where: { text: "mine" } })).toBe(0);
    await expect(bo.get(1)).rejects.toMatchObject({ code: "NOT_FOUND" });
    const seen: unknown[] = [];
    for await (const { id } of bo.walk({ perPage: 1 })) seen.push(id);
    expect(seen).toEqual([2, 3]);
  });

  test("writes need a row in scope", async () => {
    const { bo, ada } = await filled();
    for (const write of [() => bo.update(1, { text: "x" }), () => bo.update(1, () => ({})), () => bo.replace(1, { text: "x" }), () => bo.remove(1)]) {
      await expect(write()).rejects.toMatchObject({ code: "NOT_FOUND" });
    }
    for (const write of [() => bo.update(2, { text: "x" }), () => bo.replace(2, { text: "x" }), () => bo.remove(2)]) {
      await expect(write()).rejects.toMatchObject({ code: "FORBIDDEN" });
    }
    await expect(bo.create({ text: "x", ownerId: "ada" })).rejects.toMatchObject({ errors: [{ code: "READ_ONLY_FIELD" }] });
    expect((await ada.list({ fields: "text" })).data).toEqual([{ text: "mine" }, { text: "ours" }]);
  });

  test("the system has no scope, and sets stamped fields itself", async () => {
    const { service, bo } = await filled();
    const system = service.asSystem().of(notes);
    asked.length = 0;
    expect(await system.count()).toBe(3);
    expect(await system.create({ text: "for bo", ownerId: "bo" })).toMatchObject({ ownerId: "bo" });
    await system.update(1, { ownerId: "bo" });
    expect(asked).toEqual([]);
    expect(await bo.count()).toBe(4);
  });

  test("scopes hold in transactions", async () => {
    const { service } = await filled();
    await service.transaction(bo, async (tx) => {
      expect(await tx.of(notes).count()).toBe(2);
      await expect(tx.of(notes).update(1, { text: "x" })).rejects.toMatchObject({ code: "NOT_FOUND" });
      await tx.of(notes).create({ text: "new" });
      expect(await tx.of(notes).count()).toBe(3);
      expect(await tx.as(ada).of(notes).count()).toBe(2);
      expect(await tx.asSystem().of(notes).count()).toBe(4);
    });
  });
});

test("of a row that the principal may not read after its write only the id is returned", async () => {
  const moved = defineResource("moved", {
    schema: z.object({ id: z.int(), state: z.string() }),
    generated: { id: "increment" },
    scope: ({ action }) => action !== "read" || { state: "open" },
  });
  const [, open] = stores[0] ?? [];
  if (open === undefined) throw new Error("There is no store.");
  const service = openShop(open(), { resources: [moved] });
  const rows = service.as(ada).of(moved);
  expect(await rows.create({ state: "closed" })).toStrictEqual({ id: 1 });
  expect(await rows.create({ state: "open" })).toStrictEqual({ id: 2, state: "open" });
  expect(await rows.update(2, { state: "closed" })).toStrictEqual({ id: 2 });
  expect(
    await service
      .asSystem()
      .of(moved)
      .count({ where: { state: "closed" } }),
  ).toBe(2);
});
