import { belongsTo, defineResource } from "restwright";
import { expect, test } from "vitest";
import { z } from "zod";
import { describeEngines } from "../engines.js";

const table = { managed: false, version: "hash", tenant: "shared" } as const;

/** Foreign keys and ids whose columns have other types, as no foreign key of a database has, with the ids of two teams. */
const pairs = [
  { key: "text", id: "bigint", field: z.string(), ids: ["7", "9007199254740993"] },
  { key: "bigint", id: "text", field: z.string(), ids: ["7", "9007199254740993"] },
  { key: "integer", id: "bigint", field: z.int(), ids: [7, 8] },
  { key: "numeric(20)", id: "integer", field: z.string(), ids: ["7", "8"] },
  { key: "varchar(40)", id: "text", field: z.string(), ids: ["a", "B"] },
  { key: "text", id: "uuid", field: z.string(), ids: ["00000000-0000-4000-8000-000000000001", "f0000000-0000-4000-8000-00000000000f"] },
  { key: "uuid", id: "text", field: z.string(), ids: ["00000000-0000-4000-8000-000000000001", "f0000000-0000-4000-8000-00000000000f"] },
  { key: "color", id: "text", field: z.string(), ids: ["red", "blue"] },
  { key: "inet", id: "inet", field: z.string(), ids: ["10.0.0.1", "10.0.0.2"] },
] as const;

describeEngines("related filters of tables of a developer", (open, engine) => {
  const types =
    engine === "postgres" ? pairs : pairs.filter(({ key, id }) => ![key, id].some((type) => ["uuid", "color", "inet", "numeric(20)"].includes(type)));

  test.each(types)("find rows whose key of type $key is an id of type $id", async ({ key, id, field, ids: [first, second] }) => {
    const teams = defineResource("teams", {
      schema: z.object({ id: field as z.ZodString, name: z.string() }),
      table: { ...table, name: "teams", unreadable: "null" },
    });
    const notes = defineResource("notes", {
      schema: z.object({ id: z.int(), teamId: (field as z.ZodString).nullable() }),
      relations: { team: belongsTo("teams", "teamId", { filter: ["name"], enforce: false }) },
      table: { ...table, name: "notes", columns: { teamId: "team_id" }, unreadable: "null" },
    });
    const { send } = await open(
      { resources: [teams, notes], authorize: () => true },
      ...(engine === "postgres" ? ["create type color as enum ('red', 'blue')"] : []),
      `create table teams (id ${id} not null primary key, name text not null)`,
      `create table notes (id integer primary key, team_id ${key})`,
      `insert into teams values ('${first}', 'one'), ('${second}', 'two')`,
      `insert into notes values (1, '${first}'), (2, '${second}'), (3, null), (4, '${second}')`,
    );
    const idsOf = async (query: string) => {
      const { status, body, text } = await send("GET", `/notes?sort=id&${query}`);
      expect(status, text).toBe(200);
      return body.data.map((row: { id: number }) => row.id);
    };
    expect(await idsOf("team.name=two")).toEqual([2, 4]);
    expect(await idsOf("team.name=one&id=1")).toEqual([1]);
    expect(await idsOf("team.name=three")).toEqual([]);
    expect((await send("GET", "/notes/4?include=team")).body.team).toEqual({ id: second, name: "two" });
  });
});
