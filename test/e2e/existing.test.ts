// @slow

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { needs } from "../tools/engines.js";
import { ownSchema } from "../tools/storage/postgresSchema.js";

const fileOf = (name: string) => fileURLToPath(new URL(`../../examples/existing/${name}`, import.meta.url));

/** What the catalogue says of the tables of the application. */
const catalogue = `
  select table_name, column_name, data_type, column_default, is_nullable, (select count(*) from pg_indexes i where i.tablename = c.table_name and i.schemaname = c.table_schema)
  from information_schema.columns c where table_schema = current_schema() and table_name in ('users', 'teams', 'memberships', 'invoices')
  order by table_name, ordinal_position`;

describe("examples/existing (set POSTGRES_URL to run)", needs("postgres"), () => {
  const schema = ownSchema();
  let child: ChildProcess;
  let client: pg.Client;
  let origin: string;
  let before: unknown;

  const rows = async (text: string) => (await client.query(text)).rows;
  const send = async (method: string, path: string, { user = "ann", body, etag }: { user?: string; body?: unknown; etag?: string } = {}) => {
    const headers = {
      authorization: `Bearer token-of-${user}`,
      ...(body !== undefined && { "content-type": "application/json" }),
      ...(etag && { "if-match": etag }),
    };
    const answer = await fetch(`${origin}${path}`, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) });
    const text = await answer.text();
    return { status: answer.status, etag: answer.headers.get("etag") ?? "", body: text.startsWith("{") ? JSON.parse(text) : undefined };
  };

  beforeAll(async () => {
    const connectionString = await schema.create();
    client = new pg.Client({ connectionString });
    await client.connect();
    await client.query(await readFile(fileOf("tables.sql"), "utf8"));
    before = await rows(catalogue);
    const env = { ...process.env, DATABASE_URL: connectionString, PORT: "0" };
    child = spawn(process.execPath, ["--import", "tsx", fileOf("main.ts")], { env, stdio: ["ignore", "pipe", "ignore"] });
    const [announced] = (await once(createInterface(child.stdout ?? process.stdin), "line")) as [string];
    origin = / at (http:\S+)$/.exec(announced)?.[1] ?? "";
  });

  afterAll(async () => {
    const exited = once(child, "exit");
    child.kill();
    await exited;
    await client.end();
    await schema.drop();
  });

  test("adds nothing to the tables", async () => {
    expect(await rows(catalogue)).toEqual(before);
  });

  test("shows the rows of the user's teams, and no column without a field", async () => {
    expect((await fetch(`${origin}/api/invoices`)).status).toBe(401);
    expect((await send("GET", "/api/invoices?sort=number")).body.data.map(({ number }: { number: string }) => number)).toEqual(["G-1", "G-2"]);
    expect((await send("GET", "/api/invoices/3")).status).toBe(404);
    expect((await send("GET", "/api/invoices/3", { user: "cem" })).body).toMatchObject({
      number: "K-1",
      total: 42,
      issuedOn: "2026-03-31",
      paidAt: null,
    });
    const { body } = await send("GET", "/api/memberships?include=user");
    expect(body.data[0].user).toEqual({
      id: 1,
      email: "ann@example.com",
      fullName: "Ann Archer",
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
  });

  test("answers what the tables refuse with 4xx", async () => {
    const invoice = { teamId: 1, number: "G-9", total: 10, issuedOn: "2026-04-30" };
    const refused = async (change: object) => {
      const { status, body } = await send("POST", "/api/invoices", { body: { ...invoice, ...change } });
      return [status, body.code, body.detail];
    };
    expect(await refused({ total: 0 })).toEqual([422, "REFUSED_BY_DATABASE", "Must be above 0."]);
    expect(await refused({ number: "G-1" })).toEqual([422, "DUPLICATE_TEAM_ID_NUMBER", 'The value of "teamId" and "number" is taken.']);
    expect((await refused({ teamId: 2 })).slice(0, 2)).toEqual([422, "UNKNOWN_REFERENCE"]);
    expect((await send("PATCH", "/api/users/2", { body: { fullName: "Not Ann's" } })).status).toBe(403);
  });

  test("knows the callers of the application's own routes by the same verifier", async () => {
    const refused = await send("GET", "/app/teams/1/balance", { user: "nobody" });
    expect([refused.status, refused.body.code]).toEqual([401, "UNAUTHENTICATED"]);
    // Ann is in the first team.
    expect((await send("GET", "/app/teams/2/balance")).status).toBe(404);
  });

  test("shares rows and versions with the routes of the application", async () => {
    const created = await send("POST", "/api/invoices", { body: { teamId: 1, number: "G-3", total: 10.25, issuedOn: "2026-04-30" } });
    expect(created.status).toBe(201);
    const path = `/api/invoices/${created.body.id}`;
    expect((await send("GET", "/app/teams/1/balance")).body).toEqual({ invoices: 3, open: 210.75 });
    const changed = await send("PATCH", path, { body: { total: 20 }, etag: created.etag });
    expect([changed.status, changed.body.total]).toEqual([200, 20]);
    expect((await send("POST", `/app/invoices/${created.body.id}/pay`)).status).toBe(204);
    expect((await send("PATCH", path, { body: { total: 5 }, etag: changed.etag })).status).toBe(412);
    expect((await send("GET", path)).body).toMatchObject({ total: 20, paidAt: expect.any(String) });
    expect((await send("DELETE", path)).status).toBe(204);
    expect((await send("GET", path)).status).toBe(404);
    expect((await send("GET", "/app/teams/1/balance")).body.invoices).toBe(2);
    const [kept] = await rows(`select total::text, lock_version, deleted_at is not null as deleted from invoices where id = ${created.body.id}`);
    expect(kept).toEqual({ total: "20.00", lock_version: 3, deleted: true });
  });

  test("changes no column that is sent back as it was shown", async () => {
    const all = `select md5(string_agg(t::text, ',' order by id)) as sum from invoices t`;
    const sum = await rows(all);
    const { body, etag } = await send("GET", "/api/invoices/1");
    const { paidAt: _, ...sent } = body;
    expect((await send("PUT", "/api/invoices/1", { body: sent, etag })).status).toBe(200);
    expect(await rows(all)).toEqual(sum);
  });
});
