// @slow

import pg from "pg";
import { createService, defineResource } from "restwright";
import { postgresStorage } from "restwright/postgres";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { clientOf } from "../../../tools/client.js";
import { needs } from "../../../tools/engines.js";
import { ownSchema } from "../../../tools/storage/postgresSchema.js";

const total = 20_000;

interface Sent {
  readonly name?: string;
  readonly text: string;
  readonly values?: readonly string[];
}

describe("plans of lists on PostgreSQL, of a column whose values are not equally frequent (set POSTGRES_URL to run)", needs("postgres"), () => {
  const schema = ownSchema();
  const sent: Sent[] = [];
  let pool: pg.Pool;
  let send: ReturnType<typeof clientOf>;
  let end = async () => {};

  beforeAll(async () => {
    // One connection, whose statements are noted.
    pool = new pg.Pool({ connectionString: await schema.create(), max: 1 });
    pool.on("connect", (client) => {
      const query = client.query.bind(client) as (...given: unknown[]) => unknown;
      const noting = (...given: unknown[]) => {
        if (typeof given[0] === "object") sent.push(given[0] as Sent);
        return query(...given);
      };
      client.query = noting as typeof client.query;
    });
    const orders = defineResource("orders", {
      schema: z.object({ id: z.int(), status: z.string(), customerId: z.int() }),
      index: ["status", "customerId"],
    });
    const service = createService({ resources: [orders], storage: postgresStorage({ pool }), logger: false });
    await service.start();
    await pool.query(
      `insert into orders ("_tenant", id, status, "customerId", "_version", "_updatedAt") ` +
        `select '', n, case when n % 2000 = 0 then 'open' else 'done' end, n % 1000, 'v', now() from generate_series(1, ${total}) as n`,
    );
    await pool.query("analyze orders");
    send = clientOf(service);
    end = () => service.close();
  });
  afterAll(async () => {
    await end();
    await pool.end();
    await schema.drop();
  });

  /** How the server runs a statement that was sent: with the plan that it has for its name, or with one that is made for its values. */
  const planOf = async ({ name, text, values = [] }: Sent): Promise<string> => {
    const literals = values.map((value) => pg.escapeLiteral(String(value))).join(", ");
    const explained =
      name === undefined ? { text: `explain (analyze) ${text}`, values: [...values] } : { text: `explain (analyze) execute "${name}"(${literals})` };
    const { rows } = await pool.query(explained);
    return rows.map((row) => row["QUERY PLAN"]).join("\n");
  };

  const cases: readonly (readonly [string, string])[] = [
    ["a list with its count", "/orders?status=open&perPage=2"],
    ["a list in another order", "/orders?status=open&sort=-customerId&count=none"],
    ["a count beyond the first page", "/orders?status=open&perPage=2&page=2&count=exact"],
    ["a list of values", "/orders?status[in]=open,closed"],
  ];
  test.each(cases)("%s reads no more than it needs after lists of a frequent value", async (_, target) => {
    for (let turn = 0; turn < 10; turn++) expect((await send({ target: target.replace("open", "done") })).status).toBe(200);
    sent.length = 0;
    expect((await send({ target })).status).toBe(200);
    const lists = sent.filter(({ text }) => text.includes("orders"));
    expect(lists.length).toBeGreaterThan(0);
    for (const list of lists) expect(mostRows(await planOf(list)), list.text).toBeLessThan(100);
  });

  test("a row by its id is still read by a statement that the server keeps", async () => {
    for (let turn = 0; turn < 3; turn++) expect((await send({ target: "/orders/7" })).status).toBe(200);
    const { rows } = await pool.query("select statement from pg_prepared_statements");
    expect(rows.some(({ statement }) => String(statement).includes("orders"))).toBe(true);
    expect(rows.some(({ statement }) => String(statement).includes('status" ='))).toBe(false);
  });
});

/** The most rows that a step of a plan has read, with those that it has dropped. */
function mostRows(plan: string): number {
  const read = [...plan.matchAll(/actual time=\S+ rows=([\d.]+)/g)].map(([, rows]) => Number(rows));
  const dropped = [...plan.matchAll(/Rows Removed by \w+: (\d+)/g)].map(([, rows]) => Number(rows));
  return Math.max(...read, ...dropped);
}
