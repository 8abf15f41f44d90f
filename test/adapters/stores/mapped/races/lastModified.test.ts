// @slow

import { createService, defineResource } from "restwright";
import { fetchHandler } from "restwright/fetch";
import { postgresStorage } from "restwright/postgres";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { needs } from "../../../../tools/engines.js";
import { developersDatabases } from "../database.js";

const databaseWith = developersDatabases();

describe("a column of updatedAt (set POSTGRES_URL to run)", needs("postgres"), () => {
  test("makes Last-Modified of the rows that have a time", async () => {
    const { connectionString } = await databaseWith(
      "create table t (id int primary key, name text not null, at timestamptz); insert into t values (1, 'a', '2024-05-06 07:08:09Z'), (2, 'b', null)",
    );
    const things = defineResource("things", {
      schema: z.object({ id: z.int(), name: z.string() }),
      table: { name: "t", managed: false, version: "hash", tenant: "shared", updatedAt: "at" },
    });
    const storage = postgresStorage({ connectionString });
    const service = createService({ resources: [things], storage, logger: false });
    onTestFinished(async () => {
      await service.close({ graceMs: 0 });
      await storage.close?.();
    });
    const handle = fetchHandler(service);
    const request = (path: string, init?: RequestInit) => handle(new Request(`http://localhost${path}`, init));
    expect((await request("/things/1"))?.headers.get("last-modified")).toBe("Mon, 06 May 2024 07:08:09 GMT");
    const without = await request("/things/2", { headers: { "if-modified-since": "Mon, 06 May 2024 07:08:09 GMT" } });
    expect(without?.status).toBe(200);
    expect(without?.headers.get("last-modified")).toBeNull();
    expect((await request("/things"))?.status).toBe(200);
    const headers = { "content-type": "application/json", "if-unmodified-since": "Mon, 06 May 2024 07:08:09 GMT" };
    const changed = await request("/things/2", { method: "PATCH", headers, body: '{"name":"c"}' });
    expect(changed?.status).toBe(200);
    expect(changed?.headers.get("last-modified")).not.toBeNull();
  });
});
