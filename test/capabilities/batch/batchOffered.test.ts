import { defineResource, type OperationName, type ResourceOptions } from "restwright";
import { memoryStorage } from "restwright/memory";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { clientOf } from "../../tools/client.js";
import { type FullServiceOptions, fullService } from "../../tools/fullService.js";

function setUp(
  { operations, batch }: { readonly operations?: readonly OperationName[]; readonly batch?: ResourceOptions<z.ZodObject>["batch"] },
  options: Partial<FullServiceOptions> = {},
) {
  const notes = defineResource("notes", {
    schema: z.object({ id: z.string(), text: z.string() }),
    operations,
    batch,
  });
  const service = fullService({ resources: [notes], storage: memoryStorage(), notFound: "problem", ...options });
  return clientOf(service);
}

const requests = {
  create: { method: "POST", target: "/notes/batch", body: { items: [{ id: "a", text: "a" }] } },
  update: { method: "PATCH", target: "/notes/batch", body: { items: [{ id: "a", changes: { text: "b" } }] } },
  remove: { method: "POST", target: "/notes/batch-delete", body: { ids: ["a"] } },
  bulkUpdate: { method: "POST", target: "/notes/bulk-update?text=a", body: { text: "b" } },
  removeMany: { method: "DELETE", target: "/notes", body: { ids: ["a"] } },
} as const;

type Name = keyof typeof requests;

describe("a collection that allows its clients only some operations", () => {
  test.each<[allowed: readonly OperationName[], refused: readonly Name[], offered: readonly Name[]]>([
    [["list", "read"], ["create", "update", "remove", "bulkUpdate", "removeMany"], []],
    [["list", "read", "create"], ["update", "remove", "bulkUpdate", "removeMany"], ["create"]],
    [
      ["list", "read", "update"],
      ["create", "remove", "removeMany"],
      ["update", "bulkUpdate"],
    ],
    [
      ["list", "read", "remove"],
      ["create", "update", "bulkUpdate"],
      ["remove", "removeMany"],
    ],
    [
      ["list", "read", "create", "update"],
      ["remove", "removeMany"],
      ["create", "update", "bulkUpdate"],
    ],
  ])("%j refuses batches of %j and takes those of %j", async (operations, refused, offered) => {
    const send = setUp({ operations });
    for (const name of refused) expect([name, (await send(requests[name])).status]).toEqual([name, 405]);
    for (const name of offered) expect([name, (await send(requests[name])).json.summary !== undefined]).toEqual([name, true]);
  });

  test("what is off is 405, with what is on in Allow", async () => {
    const send = setUp({ operations: ["list", "read", "create"] });
    const patched = await send(requests.update);
    expect([patched.status, patched.json.code, patched.headers["allow"]]).toEqual([405, "METHOD_NOT_ALLOWED", "POST, OPTIONS"]);
    const removed = await send(requests.removeMany);
    expect([removed.status, removed.headers["allow"]]).toEqual([405, expect.not.stringContaining("DELETE")]);
  });

  test("OPTIONS tells what a batch may be sent by", async () => {
    const send = setUp({});
    const allow = async (target: string) => (await send({ method: "OPTIONS", target })).headers["allow"];
    expect(await allow("/notes/batch")).toBe("POST, PATCH, OPTIONS");
    expect(await allow("/notes/batch-delete")).toBe("POST, OPTIONS");
    expect(await allow("/notes/bulk-update")).toBe("POST, OPTIONS");
    expect(await allow("/notes")).toContain("DELETE");
  });

  test.each(["PUT", "DELETE", "GET"])("%s does not fit a batch", async (method) => {
    const send = setUp({});
    for (const target of ["/notes/batch", "/notes/batch-delete", "/notes/bulk-update"]) {
      expect([target, (await send({ method, target })).status]).toEqual([target, 405]);
    }
  });
});

describe("batches that are off", () => {
  test("of a collection leave its ids free, and DELETE of it is 405", async () => {
    const send = setUp({ batch: false });
    expect((await send({ method: "PUT", target: "/notes/batch", body: { text: "a" } })).status).toBe(201);
    expect((await send(requests.create)).status).toBe(405);
    expect((await send(requests.removeMany)).status).toBe(405);
    expect((await send({ target: "/notes/batch" })).json).toEqual({ id: "batch", text: "a" });
  });

  test("of the whole service are off for all collections", async () => {
    const send = setUp({}, { batch: false });
    for (const name of ["create", "remove", "bulkUpdate", "removeMany"] as const)
      expect([name, (await send(requests[name])).status]).toEqual([name, 405]);
    expect((await send(requests.update)).json).toMatchObject({ code: "NOT_FOUND", detail: expect.stringContaining('"batch"') });
    expect((await send({ method: "POST", target: "/batch", body: { operations: [] } })).status).toBe(404);
  });
});
