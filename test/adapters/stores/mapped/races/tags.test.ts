// @slow

import pg from "pg";
import { createService, defineResource } from "restwright";
import { postgresStorage } from "restwright/postgres";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { needs } from "../../../../tools/engines.js";
import { ownSchema } from "../../../../tools/storage/postgresSchema.js";
import { postgresKinds } from "./counterTables.js";

/** What a database may do with a row beside a write: before it, after it, and by itself. */
const triggers = `
  create function tidy() returns trigger language plpgsql as $$ begin new.name := trim(new.name); new.changed_at := clock_timestamp(); return new; end $$;
  create trigger tidy before insert or update on counters for each row execute function tidy();
  create function add_up() returns trigger language plpgsql as $$ begin
    if pg_trigger_depth() = 1 then update counters set total = amount * 2 where id = new.id; end if; return null; end $$;
  create trigger add_up after insert or update on counters for each row execute function add_up();`;

describe("tags of tables with triggers (set POSTGRES_URL to run)", needs("postgres"), () => {
  const schema = ownSchema();
  let connectionString: string;
  let pool: pg.Pool;
  beforeAll(async () => {
    connectionString = await schema.create();
    pool = new pg.Pool({ connectionString, max: 2 });
  });
  afterAll(async () => {
    await pool.end();
    await schema.drop();
  });

  test.each(Object.entries(postgresKinds))("are those of the row as it stands after each write: %s", async (_, kind) => {
    await pool.query(`
      drop table if exists counters cascade; drop function if exists count_version(); drop function if exists tidy(); drop function if exists add_up();
      create table counters (id int primary key generated always as identity, name text not null, amount int not null, total int, changed_at timestamptz(6) not null${kind.column});
      ${[...kind.triggers, triggers].join("; ")}`);
    const counters = defineResource("counters", {
      schema: z.object({ id: z.int(), name: z.string(), amount: z.int(), total: z.int().nullable(), changedAt: z.date() }),
      generated: { id: "database", total: "database", changedAt: "database" },
      table: { name: "counters", managed: false, casing: "snake_case", version: kind.version, tenant: "shared" },
    });
    const service = createService({ resources: [counters], storage: postgresStorage({ connectionString }), logger: false });
    const send = async (method: string, target: string, tag?: string, json?: object) => {
      const headers: Record<string, string> = tag === undefined ? {} : { [method === "GET" ? "if-none-match" : "if-match"]: tag };
      if (json !== undefined) headers["content-type"] = method === "PATCH" ? "application/merge-patch+json" : "application/json";
      const answer = await service.fetch(
        new Request(`http://localhost${target}`, { method, headers, body: json === undefined ? null : JSON.stringify(json) }),
      );
      const text = await answer.text();
      return { status: answer.status, tag: answer.headers.get("etag") ?? "", body: text === "" ? undefined : JSON.parse(text) };
    };
    const created = await send("POST", "/counters", undefined, { name: " a ", amount: 1 });
    expect(created).toMatchObject({ status: 201, body: { id: 1, name: "a", amount: 1, total: 2 } });
    let { tag } = created;
    const seen = new Set([tag]);
    for (let amount = 2; amount <= 6; amount++) {
      expect(await send("GET", "/counters/1", tag)).toMatchObject({ status: 304 });
      const { body } = await send("GET", "/counters/1");
      const { id: _id, total: _total, changedAt: _changedAt, ...members } = body;
      const [method, sent] = amount % 2 === 0 ? (["PATCH", { amount }] as const) : (["PUT", { ...members, amount }] as const);
      const written = await send(method, "/counters/1", tag, sent);
      expect(written).toMatchObject({ status: 200, body: { amount, total: amount * 2 } });
      expect(seen.has(written.tag)).toBe(false);
      expect(await send("PATCH", "/counters/1", tag, { amount: 0 })).toMatchObject({ status: 412 });
      tag = written.tag;
      seen.add(tag);
    }
    expect((await send("DELETE", "/counters/1", tag)).status).toBe(204);
    await service.close();
  });
});
