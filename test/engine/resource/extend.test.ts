import { createService, defineResource, extend, hasMany, type Service } from "restwright";
import { actions } from "restwright/actions";
import { bearer } from "restwright/auth";
import { hooks } from "restwright/hooks";
import { memoryStorage } from "restwright/memory";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { clientOf } from "../../tools/client.js";

const base = defineResource("notes", {
  schema: z.object({ id: z.int(), ownerId: z.string(), text: z.string(), size: z.int().optional() }),
  generated: { id: "increment" },
  scope: () => false,
  sort: ["id"],
  operations: ["list", "read", "create"],
});

/** A service with the collection alone, and its requests for a principal. */
function stage(resource: Parameters<typeof createService>[0]["resources"][number]) {
  const service = createService({
    resources: [resource],
    storage: memoryStorage(),
    logger: false,
    auth: [bearer((id) => ({ id }))],
    use: [hooks(), actions()],
  }) as unknown as Service;
  const call = clientOf(service);
  return (who: string, method: string, target: string, body?: unknown) =>
    call({ method, target, body, headers: { authorization: `Bearer ${who}`, ...(body !== undefined && { "content-type": "application/json" }) } });
}

describe("extend", () => {
  test("adds options of every kind to a collection, or replaces them, and keeps the others", async () => {
    const notes = extend(base, {
      scope: ({ principal }) => ({ ownerId: principal.id }),
      stamp: { ownerId: ({ principal }) => principal.id },
      access: { size: { write: false } },
      operations: ["list", "read", "create", "remove"],
      unique: ["text"],
      hooks: { beforeWrite: ({ kind, next }) => (kind === "remove" ? undefined : { size: next.text.length }) },
      actions: ({ action }) => ({ shout: action({ on: "row", run: ({ row }) => ({ text: row.text.toUpperCase() }) }) }),
    });
    const send = stage(notes);
    const made = await send("ann", "POST", "/notes", { text: "tea" });
    expect([made.status, made.json]).toEqual([201, { id: 1, ownerId: "ann", text: "tea", size: 3 }]);
    expect((await send("ann", "POST", "/notes", { text: "tea" })).json.errors[0].code).toBe("DUPLICATE_TEXT");
    expect((await send("ann", "POST", "/notes", { text: "x", ownerId: "bob" })).status).toBe(422);
    expect((await send("ann", "POST", "/notes", { text: "x", size: 9 })).status).toBe(403);
    expect((await send("bob", "GET", "/notes")).json.data).toEqual([]);
    expect((await send("ann", "POST", "/notes/1/shout")).json.text).toBe("TEA");
    expect((await send("ann", "GET", "/notes?sort=text")).status).toBe(400);
    expect((await send("ann", "PATCH", "/notes/1", { text: "y" })).status).toBe(405);
    expect((await send("ann", "DELETE", "/notes/1")).status).toBe(204);
    // The collection itself is as it was.
    expect((await stage(base)("ann", "POST", "/notes", { ownerId: "ann", text: "tea" })).status).toBe(403);
  });

  test("replaces what an earlier extend said, and a rule that is undefined changes nothing", async () => {
    const first = extend(base, { scope: () => true, hooks: { beforeWrite: () => ({ text: "first" }) } });
    const second = extend(first, { scope: undefined, hooks: { beforeWrite: ({ next }) => ({ size: next?.text.length }) } });
    const { status, json } = await stage(second)("ann", "POST", "/notes", { ownerId: "ann", text: "tea" });
    expect([status, json]).toEqual([201, { id: 1, ownerId: "ann", text: "tea", size: 3 }]);
  });

  test("merges the members of a table", () => {
    const table = {
      ...({ name: "notes", managed: false, version: "hash", tenant: "shared" } as const),
      columns: { ownerId: "owner_id" },
      constraints: { positive: { field: "size", detail: "Must be above 0." } },
    };
    const mapped = defineResource("notes", { schema: base.schema, generated: { id: "database" }, table });
    const more = extend(mapped, {
      table: {
        softDelete: { column: "deleted_at" },
        columns: { text: "body" },
        constraints: { short: { field: "text", detail: "Must be short." } },
        zone: undefined,
      },
    });
    expect(more.options.table).toEqual({
      ...table,
      softDelete: { column: "deleted_at" },
      columns: { ownerId: "owner_id", text: "body" },
      constraints: { ...table.constraints, short: { field: "text", detail: "Must be short." } },
    });
    expect(more.model.table?.options).toEqual(more.options.table);
    expect(mapped.options.table).toEqual(table);
  });

  test.each<[string, object, string]>([
    ["no options", null as never, 'extend("notes"): the options must be an object.'],
    ["a schema", { schema: base.schema }, 'extend("notes") cannot change the schema'],
    ["a name", { name: "others" }, 'extend("notes")'],
    ["an option that is misspelled", { hoks: {} }, 'extend("notes")'],
    ["a field that does not exist", { sort: ["nme"] }, "nme"],
    ["a table with parts only", { table: { zone: "UTC" } }, "table"],
  ])("refuses %s", (_, rules, message) => {
    expect(() => extend(base, rules as never)).toThrow(message);
  });

  test("adds relations to collections that name each other", () => {
    const extended = extend(base, { relations: { replies: hasMany("replies", "noteId") } });
    expect([...extended.relations.keys()]).toEqual(["replies"]);
  });
});
