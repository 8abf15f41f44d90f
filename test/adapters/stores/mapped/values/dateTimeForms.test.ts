import { expect, test } from "vitest";
import { z } from "zod";
import { describeEngines, notes } from "../engines.js";

const shape = {
  id: z.int(),
  name: z.string(),
  at: z.iso.datetime({ precision: 0 }),
  minute: z.iso.datetime({ precision: -1 }).nullable(),
  micro: z.iso.datetime({ precision: 6 }).nullable(),
  any: z.iso.datetime().nullable(),
};

describeEngines("date-times in columns that hold finer ones", (open, engine) => {
  const type = engine === "postgres" ? "timestamptz" : "datetime";
  const stored = "2026-01-31T10:30:05.678Z";
  const statements = [
    `create table notes (id int not null primary key, name text not null, at ${type} not null, minute ${type}, micro ${type}, "any" ${type})`,
    `insert into notes values (1, 'one', '${stored}', '${stored}', '${stored}', '${stored}'), (2, 'two', '2026-01-31T10:30:06Z', null, null, null)`,
  ];
  const shown = { at: "2026-01-31T10:30:05Z", minute: "2026-01-31T10:30Z", micro: "2026-01-31T10:30:05.678000Z", any: stored };
  const patch = { "content-type": "application/merge-patch+json" };

  test("are shown in the form of their schema, found by what is shown, and stay as they are when it is sent back", async () => {
    const { send, run, errors } = await open(notes({}, shape), ...statements);
    const untouched = await run('select at, minute, micro, "any" from notes where id = 1');
    const { body, etag } = await send("GET", "/notes/1");
    expect(body).toEqual({ id: 1, name: "one", ...shown });
    for (const [name, text] of Object.entries(shown)) {
      const idsOf = async (condition: string) => (await send("GET", `/notes?${condition}`)).body.data.map((note: { id: number }) => note.id);
      expect(await idsOf(`${name}=${text}`), name).toEqual([1]);
      expect(await idsOf(`${name}[lte]=${text}`), name).toEqual([1]);
      expect(await idsOf(`${name}[gte]=${text}`), name).toContain(1);
      expect(await idsOf(`${name}[gt]=${text}`), name).not.toContain(1);
      expect(await idsOf(`${name}[lt]=${text}`), name).toEqual([]);
    }
    const put = await send("PUT", "/notes/1", body);
    expect([put.status, put.etag]).toEqual([200, etag]);
    expect((await send("PUT", "/notes/1", { ...body, name: "new" })).status).toBe(200);
    expect((await send("PATCH", "/notes/1", { ...shown, name: "newer" }, undefined, patch)).status).toBe(200);
    expect((await send("PATCH", "/notes/batch", { items: [{ id: 1, changes: { ...shown, name: "newest" } }] })).body.results).toMatchObject([
      { status: 200 },
    ]);
    expect(await run('select at, minute, micro, "any" from notes where id = 1')).toEqual(untouched);
    const page = await send("GET", "/notes?sort=at&perPage=1");
    const rest = await send("GET", `/notes?sort=at&perPage=1&cursor=${page.body.meta.nextCursor}`);
    expect([page.body.data[0].id, rest.body.data[0].id]).toEqual([1, 2]);
    expect((await send("PATCH", "/notes/1", { at: "2027-01-01T00:00:00+01:00" }, undefined, patch)).body.at).toBe("2026-12-31T23:00:00Z");
    expect(errors).toEqual([]);
  });
});
