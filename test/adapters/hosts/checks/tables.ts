import { defineResource } from "restwright";
import { sqliteStorage } from "restwright/sqlite";
import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { fullService } from "../../../tools/fullService.js";
import { type Sent, send } from "../client.js";
import type { Host, RunningHost } from "../host.js";

const notes = defineResource("notes", {
  schema: z.object({ id: z.int(), code: z.string(), size: z.int(), parentId: z.int().nullable() }),
  generated: { id: "database" },
  unique: ["code"],
  table: { name: "Notes", managed: false, casing: "snake_case", version: "hash", tenant: "shared" },
});

const declaration = `create table "Notes" (id integer primary key, code text not null, size integer not null check (size > 0), parent_id integer references "Notes" (id), kept text default 'kept')`;

/** A table that the service did not make. */
export function tableChecks(host: Host): void {
  const storage = sqliteStorage({ path: ":memory:" });
  const service = fullService({ resources: [notes], storage, logger: false });
  let running: RunningHost;

  beforeAll(async () => {
    for (const text of [declaration, "create unique index notes_code on Notes (code)"]) await storage.transaction?.(async (tx) => tx.sql?.(text, []));
    running = await host.start(service.handle, { mount: "/v1" });
  });
  afterAll(async () => {
    await running.close();
    await service.close();
    await storage.close?.();
  });

  const ask = async (method: string, path: string, json?: object, headers: Sent["headers"] = {}) => {
    const type = { "Content-Type": method === "PATCH" ? "application/merge-patch+json" : "application/json" };
    const sent = json === undefined ? { method, headers } : { method, headers: { ...type, ...headers }, body: JSON.stringify(json) };
    const answer = await send(running.port, path, sent);
    const text = answer.body.toString();
    return { status: answer.status, headers: answer.headers, body: text === "" ? undefined : JSON.parse(text) };
  };
  const add = (code: string) => ask("POST", "/v1/notes", { code, size: 1, parentId: null });

  it("creates, reads, lists, changes and removes rows under the version that the client has read", async () => {
    const created = await add("a");
    const path = String(created.headers.location);
    expect(created).toMatchObject({ status: 201, body: { code: "a", size: 1, parentId: null } });
    expect(path).toBe(`/v1/notes/${created.body.id}`);
    const first = String(created.headers.etag);
    expect(await ask("GET", path)).toMatchObject({ status: 200, headers: { etag: first }, body: created.body });
    expect(await ask("GET", path, undefined, { "If-None-Match": first })).toMatchObject({ status: 304, headers: { etag: first }, body: undefined });
    expect((await ask("GET", "/v1/notes?code=a")).body.data).toEqual([created.body]);

    const changed = await ask("PATCH", path, { size: 2 }, { "If-Match": first });
    expect(changed).toMatchObject({ status: 200, body: { code: "a", size: 2 } });
    expect(await ask("GET", path, undefined, { "If-None-Match": first })).toMatchObject({ status: 200, body: { size: 2 } });
    expect((await ask("PATCH", path, { size: 3 }, { "If-Match": first })).status).toBe(412);
    expect((await ask("DELETE", path, undefined, { "If-Match": first })).status).toBe(412);
    const replaced = await ask("PUT", path, { code: "a", size: 4, parentId: null }, { "If-Match": String(changed.headers.etag) });
    expect(replaced).toMatchObject({ status: 200, body: { size: 4 } });
    expect(await storage.transaction?.(async (tx) => tx.sql?.('select size, kept from "Notes"', []))).toEqual([{ size: 4, kept: "kept" }]);
    expect((await ask("DELETE", path, undefined, { "If-Match": String(replaced.headers.etag) })).status).toBe(204);
    expect((await ask("GET", path)).status).toBe(404);
  });

  it("answers what the database refuses as faults of the request", async () => {
    const { body: parent } = await add("parent");
    const child = await ask("POST", "/v1/notes", { code: "child", size: 1, parentId: parent.id });
    const refused = await Promise.all([
      add("parent"),
      ask("POST", "/v1/notes", { code: "b", size: 0, parentId: null }),
      ask("POST", "/v1/notes", { code: "c", size: 1, parentId: 999 }),
      ask("PATCH", `/v1/notes/${parent.id}`, { code: "child" }),
      ask("DELETE", `/v1/notes/${parent.id}`),
    ]);
    const codes = refused.map(({ status, body }) => [status, body.errors?.[0]?.code ?? body.code]);
    expect(codes).toEqual([
      [422, "DUPLICATE_CODE"],
      [422, "REFUSED_BY_DATABASE"],
      [422, "UNKNOWN_REFERENCE"],
      [422, "DUPLICATE_CODE"],
      [409, "ROW_IN_USE"],
    ]);
    expect((await ask("GET", "/v1/notes")).body.data).toEqual([parent, child.body]);
  });
}
