import { defineResource, type Resource } from "restwright";
import { sqliteStorage } from "restwright/sqlite";
import { testService } from "restwright/testing";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import type { Storage } from "../../../../../src/ground/storage/storage.js";

interface List {
  readonly data: readonly { readonly title: string }[];
  readonly meta: { readonly total: number };
}

/** Serves tables until the test has finished. */
async function serve(resource: Resource, ...statements: readonly string[]) {
  const storage: Storage = sqliteStorage({ path: ":memory:" });
  onTestFinished(async () => storage.close?.());
  for (const text of statements) await storage.transaction?.(async (tx) => tx.sql?.(text, []));
  const service = testService({ resources: [resource], storage });
  onTestFinished(() => service.close());
  const as = { id: "ann", tenant: "one" };
  return {
    read: async (path: string) => (await (await service.fetch(path, { as })).json()) as List,
    async send(method: string, path: string, options: { readonly json?: object; readonly headers?: Record<string, string> } = {}) {
      const { status, headers } = await service.fetch(path, { method, as, ...options });
      return { status, etag: headers.get("etag") ?? "", location: headers.get("location") };
    },
  };
}

const title = z.string();

test("a list that looks into each row has only those of its tenant, though another has the same ids", async () => {
  const notes = defineResource("notes", {
    schema: z.object({ id: z.string(), title }),
    table: { name: "notes", managed: false, version: "hash", tenant: { column: "org" } },
  });
  const { read } = await serve(
    notes,
    "create table notes (org text not null, id text not null, title text not null, primary key (org, id)) without rowid",
    "insert into notes values ('one', 'a', 'x first'), ('two', 'a', 'x foreign'), ('one', 'b', 'x second'), ('two', 'c', 'x foreign too')",
  );
  const list = await read("/notes?title[like]=x&sort=title");
  expect(list.data).toEqual([
    { id: "a", title: "x first" },
    { id: "b", title: "x second" },
  ]);
  expect((await read("/notes?title[like]=foreign")).data).toEqual([]);
});

describe.each([
  ["of all tenants", "shared", "(order_id, line)"],
  ["of a tenant each", { column: "org" }, "(org, order_id, line)"],
] as const)("rows with a composite id, %s", (_, tenant, key) => {
  const lines = defineResource("lines", {
    schema: z.object({ orderId: z.int(), line: z.string(), title }),
    id: ["orderId", "line"],
    table: { name: "lines", managed: false, casing: "snake_case", version: "hash", tenant },
  });
  const open = () =>
    serve(
      lines,
      `create table lines (org text not null default 'one', order_id integer not null, line text not null, title text not null, primary key ${key}) without rowid`,
      `insert into lines (order_id, line, title) values (1, '1', 'xd'), (1, '2', 'xc'), (2, '1', 'xb'), (2, '"', 'xa'), (9007199254740991, '3', 'y')`,
      ...(tenant === "shared" ? [] : ["insert into lines values ('two', 1, '1', 'x foreign')"]),
    );

  test("are each in a list that looks into each row once", async () => {
    const { read } = await open();
    const titles = async (query: string) => (await read(`/lines?${query}`)).data.map((row) => row.title);
    expect(await titles("title[like]=x&sort=title")).toEqual(["xa", "xb", "xc", "xd"]);
    expect(await titles("title[like]=x&sort=-title&perPage=2&page=2")).toEqual(["xb", "xa"]);
    expect(await titles("title[like]=x&sort=-orderId&perPage=3")).toEqual(["xb", "xa", "xc"]);
    expect(await titles("title[like]=y")).toEqual(["y"]);
    expect((await read("/lines?title[like]=x&count=exact")).meta.total).toBe(4);
  });

  test("are created, read, changed and removed under their versions", async () => {
    const { send } = await open();
    const created = await send("POST", "/lines", { json: { orderId: 3, line: "a,b", title: "new" } });
    expect([created.status, created.location]).toEqual([201, "/lines/3,a%2Cb"]);
    const headers = { "if-match": created.etag };
    expect((await send("GET", "/lines/3,a%2Cb", { headers: { "if-none-match": created.etag } })).status).toBe(304);
    const changed = await send("PATCH", "/lines/3,a%2Cb", { json: { title: "newer" }, headers });
    expect(changed.status).toBe(200);
    expect((await send("DELETE", "/lines/3,a%2Cb", { headers })).status).toBe(412);
    expect((await send("DELETE", "/lines/3,a%2Cb", { headers: { "if-match": changed.etag } })).status).toBe(204);
    expect((await send("POST", "/lines", { json: { orderId: 1, line: "1", title: "taken" } })).status).toBe(422);
  });
});
