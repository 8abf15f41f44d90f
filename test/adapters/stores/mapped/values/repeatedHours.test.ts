import { expect, test } from "vitest";
import { z } from "zod";
import { describeEngines, notes } from "../engines.js";

const shape = { id: z.int(), name: z.string(), at: z.date().nullable().default(null), ats: z.array(z.iso.datetime()).default([]) };

/** A clock goes back: the first instants of the repetition, of its second pass, and after it. */
const zones = [
  { zone: "Europe/Berlin", first: "2026-10-25T00:00:00.000Z", second: "2026-10-25T01:00:00.000Z", end: "2026-10-25T02:00:00.000Z" },
  { zone: "Europe/Dublin", first: "2026-10-25T00:00:00.000Z", second: "2026-10-25T01:00:00.000Z", end: "2026-10-25T02:00:00.000Z" },
  // Half an hour.
  { zone: "Australia/Lord_Howe", first: "2026-04-04T14:30:00.000Z", second: "2026-04-04T15:00:00.000Z", end: "2026-04-04T15:30:00.000Z" },
  // Nearly a day, since the date line was moved.
  { zone: "Pacific/Kwajalein", first: "1969-09-29T14:00:00.000Z", second: "1969-09-30T13:00:00.000Z", end: "1969-10-01T12:00:00.000Z" },
] as const;

const plus = (instant: string, ms: number) => new Date(Date.parse(instant) + ms).toISOString();
const patch = { "content-type": "application/merge-patch+json" };

describeEngines("times that a clock repeats", (open, engine) => {
  if (engine === "sqlite") {
    test("are none of SQLite, which knows offsets only", async () => {
      await expect(open(notes({ zone: "Europe/Berlin" }, shape), "create table notes (id int primary key, name text)")).rejects.toThrow("offset");
    });
    return;
  }

  const table = (type: string) =>
    `create table notes (id int primary key, name text not null, at ${type}, ats ${type}[] not null default '{}', changed ${type}, made ${type})`;
  const cases = zones.flatMap((each) => ["timestamp(6)", "timestamp(3)"].map((type) => [each.zone, type, each] as const));

  test.each(cases)("%s, %s: an instant of the first pass is refused on each way, and its write writes nothing", async (zone, type, { second }) => {
    const { send, run, errors } = await open(notes({ zone }, shape), table(type));
    const before = plus(second, -1);
    const problem = (pointer: string) => ({ status: 422, body: { code: "INVALID_VALUE", errors: [{ pointer }] } });
    expect(await send("POST", "/notes", { id: 1, name: "one", at: second, ats: [second] })).toMatchObject({
      status: 201,
      body: { at: second, ats: [second] },
    });
    expect(await send("POST", "/notes", { id: 2, name: "two", at: before })).toMatchObject(problem("/at"));
    expect((await send("POST", "/notes", { id: 2, name: "two", at: before })).text).toContain("the clock goes back");
    expect(await send("POST", "/notes", { id: 2, name: "two", ats: [second, before] })).toMatchObject(problem("/ats"));
    expect(await send("PUT", "/notes/2", { id: 2, name: "two", at: before })).toMatchObject(problem("/at"));
    expect(await send("PUT", "/notes/1", { id: 1, name: "one", at: before })).toMatchObject(problem("/at"));
    expect(await send("PATCH", "/notes/1", { at: before }, undefined, patch)).toMatchObject(problem("/at"));
    expect(await send("PATCH", "/notes/1", { ats: [before] }, undefined, patch)).toMatchObject(problem("/ats"));
    const items = [
      { id: 3, name: "three", at: second },
      { id: 4, name: "four", at: before },
      { id: 5, name: "five", at: null },
    ];
    const statuses = (answer: { readonly body: { readonly results: readonly { readonly status: number }[] } }) =>
      answer.body.results.map(({ status }) => status);
    expect(statuses(await send("POST", "/notes/batch", { items }))).toEqual([201, 422, 201]);
    expect(statuses(await send("PATCH", "/notes/batch", { items: [{ id: 3, changes: { at: before } }] }))).toEqual([422]);
    const imported = await send("POST", "/notes/import?onError=continue", [
      { id: 6, name: "six", at: before },
      { id: 7, name: "seven", at: plus(second, 1) },
    ]);
    expect(imported.body.result).toMatchObject({ created: 1, failed: 1 });
    expect((await send("PUT", "/notes/1", { id: 1, name: "new", at: second, ats: [second] })).status).toBe(200);
    expect(await run("select id from notes order by id")).toEqual([1, 3, 5, 7].map((id) => ({ id })));
    expect(errors).toEqual([]);
  });

  test.each(cases)("%s, %s: filters by any instant around it compare instants", async (zone, type, { first, second, end }) => {
    const { send, errors, readErrors } = await open(notes({ zone }, shape), table(type));
    const rows = [plus(first, -3_600_000), plus(first, -1), second, plus(second, 1), plus(end, -1), end, plus(end, 3_600_000)];
    const items = [...rows.map((at, id) => ({ id, name: "x", at, ats: [at] })), { id: 99, name: "null" }];
    expect((await send("POST", "/notes/batch", { items })).status).toBe(200);
    const idsOf = async (query: string) => (await send("GET", `/notes?sort=id&${query}`)).body.data.map(({ id }: { readonly id: number }) => id);
    const where = (test: (at: number) => boolean) => rows.flatMap((at, id) => (test(Date.parse(at)) ? [id] : []));
    for (const value of [...rows, first, plus(first, 1), plus(second, -1), plus(first, (Date.parse(second) - Date.parse(first)) / 2)]) {
      const ms = Date.parse(value);
      expect(await idsOf(`at=${value}`), value).toEqual(where((at) => at === ms));
      expect(await idsOf(`at[ne]=${value}`), value).toEqual([...where((at) => at !== ms), 99]);
      expect(await idsOf(`at[in]=${value},${end}`), value).toEqual(where((at) => at === ms || at === Date.parse(end)));
      expect(await idsOf(`at[gt]=${value}`), value).toEqual(where((at) => at > ms));
      expect(await idsOf(`at[gte]=${value}`), value).toEqual(where((at) => at >= ms));
      expect(await idsOf(`at[lt]=${value}`), value).toEqual(where((at) => at < ms));
      expect(await idsOf(`at[lte]=${value}`), value).toEqual(where((at) => at <= ms));
      expect(await idsOf(`ats=${value}`), value).toEqual(where((at) => at === ms));
      const beside = { or: [{ at: { gt: value } }, { and: [{ at: { eq: value } }, { id: { gt: 2 } }] }] };
      const { body } = await send("POST", "/searches", { collection: "notes", filter: beside, sort: ["id"] });
      expect(body.data.map(({ id }: { readonly id: number }) => id)).toEqual(
        rows.flatMap((at, id) => (Date.parse(at) > ms || (Date.parse(at) === ms && id > 2) ? [id] : [])),
      );
    }
    expect([errors, readErrors()]).toEqual([[], []]);
  });

  test("what the server makes then is written all the same, and is read as it was answered", async () => {
    const table = `create table notes (id int primary key, name text not null, changed timestamp(3) not null, made timestamp(3) not null)`;
    const own = { zone: "Europe/Berlin", updatedAt: "changed" };
    const resource = notes(own, { id: z.int(), name: z.string(), made: z.date() }, { generated: { made: "createdAt" } });
    const { send, errors, clock } = await open(resource, table);
    clock.advance(Date.parse("2026-10-25T00:30:00.000Z") - clock.now());
    const created = await send("POST", "/notes", { id: 1, name: "one" });
    expect(created.status, created.text).toBe(201);
    expect(created.body.made).toBe("2026-10-25T01:30:00.000Z");
    expect((await send("GET", "/notes/1")).body).toEqual(created.body);
    expect((await send("PATCH", "/notes/1", { name: "new" }, undefined, patch)).body).toEqual({ ...created.body, name: "new" });
    expect((await send("PUT", "/notes/1", { ...created.body, name: "newer" })).status).toBe(200);
    expect((await send("GET", `/notes?made=${created.body.made}`)).body.data).toHaveLength(1);
    expect(errors).toEqual([]);
  });
});
