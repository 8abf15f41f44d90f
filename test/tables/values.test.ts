import pg from "pg";
import { createService, type Storage } from "restwright";
import { postgresStorage } from "restwright/postgres";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ownSchema, postgresUrl } from "../stores/postgresSchema.js";
import { columns, createThings, things } from "./everything.js";

interface Page {
  readonly data: readonly { readonly id: number }[];
  readonly meta: { readonly nextCursor: string | null; readonly prevCursor: string | null };
}

const rowCount = 1_000;

describe.skipIf(postgresUrl === undefined)("values of tables of a developer (set POSTGRES_URL to run)", () => {
  const schema = ownSchema();
  /** Errors of the server, with the statements that had them. */
  const errors: { readonly code: string; readonly text: string }[] = [];
  let storage: Storage;
  let pool: pg.Pool;
  let service: ReturnType<typeof createService>;
  const answers: { readonly request: string; readonly status: number; readonly body: string }[] = [];

  beforeAll(async () => {
    pool = new pg.Pool({ connectionString: await schema.create(), max: 4 });
    pool.on("connect", (client) => {
      const query = client.query.bind(client) as (...args: unknown[]) => unknown;
      client.query = ((...args: unknown[]) => {
        const answer = query(...args);
        const text = typeof args[0] === "string" ? args[0] : (args[0] as { readonly text: string }).text;
        if (answer instanceof Promise) answer.catch(({ code }: { readonly code?: string }) => errors.push({ code: String(code), text }));
        return answer;
      }) as typeof client.query;
    });
    await createThings(pool, rowCount);
    storage = postgresStorage({ pool });
    service = createService({ resources: [things], storage, logger: false });
    await service.start();
  });
  afterAll(async () => {
    await service?.close();
    await pool.end();
    await schema.drop();
  });

  async function send(method: string, target: string, json?: unknown): Promise<{ readonly status: number; readonly body: string }> {
    const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
    const body = json === undefined ? null : typeof json === "string" ? json : JSON.stringify(json);
    const answer = await service.fetch(
      new Request(`http://localhost${target}`, { method, body, headers: body === null ? {} : { "content-type": type } }),
    );
    const text = await answer.text();
    answers.push({ request: `${method} ${target} ${body ?? ""}`.slice(0, 300), status: answer.status, body: text.slice(0, 300) });
    return { status: answer.status, body: text };
  }

  async function page(sort: string, cursor: string | null): Promise<Page> {
    const { status, body } = await send("GET", `/things?sort=${sort}&perPage=97&fields=id${cursor === null ? "" : `&cursor=${cursor}`}`);
    expect(status, body).toBe(200);
    return JSON.parse(body) as Page;
  }

  describe.each(Object.keys(columns))("sorted by %s", (field) => {
    test.each(["", "-"])("each row comes once, forwards and backwards (%s)", async (direction) => {
      const pages: Page[] = [];
      for (let cursor: string | null = null; pages.length < 20; ) {
        const next: Page = await page(`${direction}${field}`, cursor);
        pages.push(next);
        cursor = next.meta.nextCursor;
        if (cursor === null) break;
      }
      const forwards = pages.flatMap(({ data }) => data.map(({ id }) => id));
      expect(new Set(forwards).size).toBe(rowCount);
      expect(forwards.length).toBe(rowCount);
      const backwards: number[] = (pages.at(-1)?.data ?? []).map(({ id }) => id);
      for (let cursor = pages.at(-1)?.meta.prevCursor ?? null; cursor !== null && backwards.length <= rowCount; ) {
        const before: Page = await page(`${direction}${field}`, cursor);
        backwards.unshift(...before.data.map(({ id }) => id));
        cursor = before.meta.prevCursor;
      }
      expect(backwards).toEqual(forwards);
    });
  });

  test("a row that is sent back as it was read, or with one change, changes no other column", async () => {
    for (let id = 1; id <= rowCount; id += 37) {
      const stored = async () =>
        (await pool.query("select (to_jsonb(things) - 'flag')::text || plain::text as stored from things where id = $1", [id])).rows[0].stored;
      const before = await stored();
      const { id: _, ...members } = JSON.parse((await send("GET", `/things/${id}`)).body);
      for (const [method, sent] of [
        ["PUT", members],
        ["PATCH", members],
        ["PUT", { ...members, flag: members.flag !== true }],
        ["PATCH", { ...members, flag: null }],
      ] as const) {
        const answer = await send(method, `/things/${id}`, sent);
        expect(answer.status, answer.body).toBe(200);
        expect(await stored()).toBe(before);
      }
    }
  });
});
