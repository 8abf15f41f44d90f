import { defineResource, hasMany } from "restwright";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { FullServiceOptions } from "../../../tools/fullService.js";
import { as, auth, create, idsOf, setUpRelated, withRows } from "../relatedResources.js";

describe("a key that the principal may not read", () => {
  test("makes the path one that there is not, byte for byte", async () => {
    const { send } = await withRows({ auth, notFound: "problem" });
    await create(send, "notes", [{ userId: 1, text: "n" }], as("admin"));
    expect(idsOf((await send({ target: "/users/1/notes", headers: as("admin") })).json)).toEqual([1]);
    const unknown = await send({ target: "/users/1/nothing", headers: as("clerk") });
    for (const target of ["/users/1/notes", "/users/9/notes", "/users/1/notes/1", "/users/2/notes/1"]) {
      const refused = await send({ target, headers: as("clerk") });
      expect([refused.status, refused.text]).toEqual([404, unknown.text]);
    }
    const posted = await send({ method: "POST", target: "/users/1/notes", headers: as("clerk"), body: { text: "m" } });
    expect([posted.status, posted.text]).toEqual([404, unknown.text]);
    expect((await send({ target: "/users/1/notes" })).status).toBe(401);
  });

  test("is told apart from nothing by no parent on the way either", async () => {
    const { send } = await withRows({ auth, notFound: "problem" });
    const link = { id: z.string(), upId: z.string().optional() };
    const tops = defineResource("tops", { schema: z.object({ id: z.string() }), relations: { mids: hasMany("mids", "upId") } });
    const mids = defineResource("mids", {
      schema: z.object(link),
      access: { upId: { read: ({ id }) => id === "admin" } },
      relations: { ends: hasMany("ends", "upId") },
    });
    const ends = defineResource("ends", { schema: z.object(link) });
    const other = setUpRelated({ resources: [tops, mids, ends], auth, notFound: "problem" });
    await create(other.send, "tops", [{ id: "t" }], as("admin"));
    await create(other.send, "mids", [{ id: "m", upId: "t" }], as("admin"));
    expect((await other.send({ target: "/tops/t/mids/m/ends", headers: as("admin") })).status).toBe(200);
    const refused = await other.send({ target: "/tops/t/mids/m/ends", headers: as("clerk") });
    expect(refused.text).toBe((await send({ target: "/nothing", headers: as("clerk") })).text);
    expect((await other.send({ target: "/mids/m/ends", headers: as("clerk") })).status).toBe(200);
  });

  test("be it that authorize leaves it out, has no path", async () => {
    const narrowed = (collection: string): FullServiceOptions["authorize"] => {
      return ({ principal, collection: asked }) => principal.id === "admin" || asked !== collection || { fields: ["id", "name", "total"] };
    };
    const orders = await withRows({ auth, authorize: narrowed("orders") });
    expect((await orders.send({ target: "/users/1/orders", headers: as("clerk") })).json.detail).toBe("There is nothing at this path.");
    expect((await orders.send({ target: "/users/1/orders", headers: as("admin") })).status).toBe(200);
    const users = await withRows({ auth, authorize: narrowed("users") });
    for (const company of ["a", "b"]) {
      const refused = await users.send({ target: `/companies/${company}/users/1/orders`, headers: as("clerk") });
      expect([refused.status, refused.json.detail]).toEqual([404, "There is nothing at this path."]);
    }
    expect((await users.send({ target: "/users/1/orders", headers: as("clerk") })).status).toBe(200);
  });
});
