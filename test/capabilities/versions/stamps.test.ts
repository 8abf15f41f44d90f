import { createService, defineResource } from "restwright";
import { bearer } from "restwright/auth";
import { rename, versions } from "restwright/versions";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { clientOf } from "../../tools/client.js";
import { describeStores, type OpenedStore } from "../../tools/storage/batchStores.js";

const fields = z.object({ id: z.int(), title: z.string(), authorId: z.string(), editorId: z.string() });

/** Both stamps are required; the older version has another name for one of them. */
function openNotes({ storage }: OpenedStore) {
  const notes = defineResource("notes", {
    schema: fields,
    generated: { id: "increment" },
    stamp: { authorId: ({ principal }) => principal.id, editorId: { on: "write", set: ({ principal }) => principal.id } },
    versions: {
      v1: [
        rename({ from: "title", to: "name", type: fields.shape.title }),
        rename({ from: "editorId", to: "changedBy", type: fields.shape.editorId }),
      ],
    },
  });
  return createService({
    resources: [notes],
    storage,
    logger: false,
    auth: [bearer((id) => ({ id }))],
    use: [versions({ vendor: "acme", default: "v2", schema: "v2", supported: { v1: {}, v2: {} } })],
  });
}

describeStores("versions of rows with stamps of required fields", ({ open }) => {
  let store: OpenedStore;
  let service: ReturnType<typeof openNotes>;
  beforeAll(async () => {
    store = await open();
    service = openNotes(store);
    await service.start();
  });
  afterAll(async () => {
    await service.close();
    await store.end();
  });

  const send = (who: string, version: string, method: string, target: string, body?: object) =>
    clientOf(service)({
      method,
      target,
      body,
      headers: {
        authorization: `Bearer ${who}`,
        "x-api-version": version,
        ...(method === "PATCH" && { "content-type": "application/merge-patch+json" }),
      },
    });

  test("are written and shown in each version, and not taken from clients", async () => {
    const made = await send("ann", "v1", "POST", "/notes", { name: "Tea" });
    expect([made.status, made.json]).toEqual([201, { id: 1, name: "Tea", authorId: "ann", changedBy: "ann" }]);
    expect((await send("bob", "v1", "PATCH", "/notes/1", { name: "Coffee" })).json).toMatchObject({ authorId: "ann", changedBy: "bob" });
    expect((await send("bob", "v2", "GET", "/notes/1")).json).toEqual({ id: 1, title: "Coffee", authorId: "ann", editorId: "bob" });
    for (const body of [{ authorId: "eve" }, { changedBy: "eve" }]) {
      expect((await send("bob", "v1", "PATCH", "/notes/1", body)).json).toMatchObject({ authorId: "ann", changedBy: "bob" });
    }
    expect((await send("cat", "v1", "PUT", "/notes/1", { name: "Milk" })).json).toEqual({ id: 1, name: "Milk", authorId: "ann", changedBy: "cat" });
  });
});
