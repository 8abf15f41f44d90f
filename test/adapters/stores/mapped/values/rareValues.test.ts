import { expect, test } from "vitest";
import { z } from "zod";
import { describeEngines, notes } from "../engines.js";

describeEngines("rare values", (open, engine) => {
  const json = engine === "postgres" ? "jsonb" : "json";
  const key = "id int not null primary key";

  test("JSON null is null to filters, as it is shown", async () => {
    const { send } = await open(
      notes({}, { id: z.int(), doc: z.object({ a: z.int() }).nullable() }),
      `create table notes (${key}, doc ${json})`,
      `insert into notes values (1, '{"a":1}'), (2, 'null'), (3, null)`,
    );
    const ids = async (query: string) => (await send("GET", `/notes?sort=id&${query}`)).body.data.map(({ id }: { id: number }) => id);
    expect((await send("GET", "/notes/2")).body).toEqual({ id: 2, doc: null });
    expect(await ids("doc[exists]=true")).toEqual([1]);
    expect(await ids("doc[exists]=false")).toEqual([2, 3]);
  });

  test("a number in JSON beyond those of JavaScript is unreadable, and never shown as null", async () => {
    const statements = [
      `create table notes (${key}, doc ${json}, name text)`,
      `insert into notes values (1, '{"n":1e400}', 'a'), (2, '{"n":-1e308}', 'a'), (3, '{"s":"1e400"}', 'a')`,
    ];
    const shape = { id: z.int(), doc: z.json(), name: z.string().nullable() };
    const strict = await open(notes({}, shape), ...statements);
    expect((await strict.send("GET", "/notes/1")).status).toBe(500);
    expect(String(strict.errors[0])).toMatch(/notes: "doc" cannot be read .* \(the row has the id 1\)/);
    expect((await strict.send("GET", "/notes/2")).body.doc).toEqual({ n: -1e308 });
    expect((await strict.send("GET", "/notes/3")).body.doc).toEqual({ s: "1e400" });
  });

  if (engine === "postgres")
    test.each([
      [0.1, 201],
      [-3.4028235e38, 201],
      [16_777_216, 201],
      [1e-45, 201],
      [0, 201],
      [16_777_217, 422],
      [0.123456789, 422],
      [1e39, 422],
      [1e-50, 422],
    ])("a column of 4 bytes takes %s only if it comes back: %i", async (value, status) => {
      const { send, readErrors } = await open(
        notes({}, { id: z.int(), ratio: z.number() }),
        `create table notes (${key}, ratio real not null)`,
        "insert into notes values (1, 0.12345679)",
      );
      const created = await send("POST", "/notes", { id: 2, ratio: value });
      expect(created.status, created.text).toBe(status);
      if (status === 422) expect(created.body).toMatchObject({ code: "INVALID_VALUE", errors: [{ pointer: "/ratio" }] });
      const found = (await send("GET", `/notes?ratio=${encodeURIComponent(value)}`)).body.data;
      expect(found).toEqual(status === 201 ? [{ id: 2, ratio: value }] : []);
      expect(readErrors()).toEqual([]);
    });
});
