import { defineResource } from "restwright";
import { expect, test } from "vitest";
import { z } from "zod";
import { describeEngines } from "../engines.js";

const schema = z.object({
  id: z.int(),
  meta: z.object({ a: z.int(), level: z.int().default(3), size: z.string().default("M") }).nullable(),
});

/** By their ids. */
const stored = ['{"a":1}', '{"a":2,"level":5,"size":"XL"}', null, '{"a":4,"level":1,"size":"S"}', '{"a":5,"level":3}'];

const queries: readonly (readonly [query: string, ids: readonly number[]])[] = [
  ["meta.level=3", [1, 5]],
  ["meta.level!=3", [2, 3, 4]],
  ["meta.level[lte]=3", [1, 4, 5]],
  ["meta.size[like]=m*", [1, 5]],
  ["meta.level[exists]=false", [3]],
  ["sort=meta.level", [3, 4, 1, 5, 2]],
  ["sort=-meta.level", [2, 5, 1, 4, 3]],
  ["sort=meta.size,-id", [3, 5, 1, 4, 2]],
];

describeEngines("members of JSON of another program that have a default", (open, engine) => {
  const types = engine === "sqlite" ? ["text"] : ["jsonb", "json"];
  const tables = types.flatMap((type) => (["fail", "null"] as const).map((unreadable) => ({ type, unreadable })));

  test.each(tables)("are filtered and sorted by it ($type, unreadable: $unreadable)", async ({ type, unreadable }) => {
    const odd = defineResource("odd", { schema, table: { name: "odd", managed: false, version: "hash", tenant: "shared", unreadable } });
    const values = stored.map((json, index) => `(${index + 1}, ${json === null ? "null" : `'${json}'`})`);
    const create = `create table odd (id integer primary key not null, meta ${type})`;
    const { send } = await open(odd, create, `insert into odd values ${values.join(", ")}`);
    for (const [query, ids] of queries) {
      const met: unknown[] = [];
      for (let cursor = ""; ; ) {
        const { status, body } = await send("GET", `/odd?${query}&perPage=2${cursor}`);
        expect([query, status]).toEqual([query, 200]);
        met.push(...body.data.map(({ id }: { readonly id: number }) => id));
        if (body.meta.nextCursor === null) break;
        cursor = `&cursor=${body.meta.nextCursor}`;
      }
      expect([query, met]).toEqual([query, ids]);
    }
  });
});
