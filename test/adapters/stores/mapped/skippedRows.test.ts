import pg from "pg";
import { createService, defineResource } from "restwright";
import { fetchHandler } from "restwright/fetch";
import { postgresStorage } from "restwright/postgres";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { needs } from "../../../tools/engines.js";
import { developersDatabases } from "./database.js";

const databaseWith = developersDatabases();

const visits = defineResource("visits", {
  schema: z.object({ id: z.int(), kind: z.string(), at: z.date(), price: z.number().nullable() }),
  table: { name: "visits", managed: false, version: "hash", tenant: "shared" },
});

/** Many rows share a kind and an instant, so that pages end among equal keys. */
const statements = `
  create table visits (id integer primary key, kind text not null, at timestamptz not null, price numeric(8,2));
  create index visits_kind on visits (kind, at);
  insert into visits select i, (array['a', 'b'])[1 + i % 2], '2026-01-31Z'::timestamptz + i / 7 * interval '1 ms', i from generate_series(1, 300) i`;

interface Statement {
  readonly text: string;
  readonly values: unknown[];
}

describe("pages by number of a table of a developer (set POSTGRES_URL to run)", needs("postgres"), () => {
  async function open() {
    const { connectionString } = await databaseWith(statements);
    const pool = new pg.Pool({ connectionString, max: 2 });
    const sent: Statement[] = [];
    pool.on("connect", (client) => {
      const query = client.query.bind(client) as (...args: unknown[]) => unknown;
      client.query = ((...args: unknown[]) => {
        if (typeof args[0] === "object") sent.push(args[0] as Statement);
        return query(...args);
      }) as typeof client.query;
    });
    const storage = postgresStorage({ pool });
    const service = createService({ resources: [visits], storage, logger: false });
    onTestFinished(async () => {
      await service.close({ graceMs: 0 });
      await pool.end();
    });
    await service.start();
    const handle = fetchHandler(service);
    const list = async (query: string) => {
      const answer = await handle(new Request(`http://localhost/visits?${query}`));
      expect(answer?.status).toBe(200);
      return (await answer?.json()) as { readonly data: readonly { readonly id: number }[]; readonly page?: unknown };
    };
    return { pool, list, sent };
  }

  test.each(["sort=at", "sort=-at&kind=a", "sort=price&kind=b&fields=id,at", "sort=kind,-at"])("has each row once, in order: %s", async (query) => {
    const { list } = await open();
    const { data: all } = await list(`${query}&perPage=100`);
    const pages = [1, 2, 3, 4].map(async (page) => (await list(`${query}&perPage=25&page=${page}`)).data);
    expect((await Promise.all(pages)).flat()).toEqual(all);
    const rest = [2, 3].map(async (page) => (await list(`${query}&perPage=100&page=${page}`)).data);
    const ids = [all, ...(await Promise.all(rest))].flat().map(({ id }) => id);
    expect(new Set(ids).size).toBe(query.includes("kind=") ? 150 : 300);
  });

  test("computes the texts of values of its own rows only, not of those before it", async () => {
    const { pool, list, sent } = await open();
    sent.length = 0;
    await list("sort=at&kind=a&perPage=10&page=10");
    const statement = sent.find(({ text }) => text.includes("offset"));
    expect(statement).toBeDefined();
    const { rows } = await pool.query<{ readonly "QUERY PLAN": readonly [{ readonly Plan: Plan }] }>({
      text: `explain (verbose, format json) ${statement?.text}`,
      values: statement?.values ?? [],
    });
    const plan = rows[0]?.["QUERY PLAN"][0].Plan;
    const computed = (node: Plan | undefined) => node?.Output?.some((output) => output.includes("EXTRACT") || output.includes("extract")) ?? false;
    expect(computed(plan)).toBe(true);
    const below = (node: Plan): readonly Plan[] => (node.Plans ?? []).flatMap((child) => [child, ...below(child)]);
    const nodes = plan === undefined ? [] : below(plan);
    expect(nodes.map((node) => node["Node Type"])).toContain("Limit");
    expect(nodes.filter(computed)).toEqual([]);
  });
});

interface Plan {
  readonly "Node Type": string;
  readonly Output?: readonly string[];
  readonly Plans?: readonly Plan[];
}
