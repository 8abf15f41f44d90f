// @long

import { postgresStorage } from "restwright/postgres";
import { describe, expect, test } from "vitest";
import { queryWords } from "../../../../../adapters/cli/introspect/names.js";
import { reservedNames } from "../../../../../src/language/query/grammar/control.js";
import { needs } from "../../../../tools/engines.js";
import { check, developersDatabases } from "../database.js";
import { expectCompiles, formatted, pathOf, resourcesOf, serve } from "./introspected.js";
import { changeable, countedColumns, fixtures, fixtureText, introspect, stateOf } from "./introspectedPostgres.js";
import { watchDefinitions } from "./watchDefinitions.js";

const databaseWith = developersDatabases();
const fixture = (name: string) => databaseWith(fixtureText(name));

test("knows the words of the query language", () => {
  expect([...queryWords].sort()).toEqual([...reservedNames].sort());
});

describe("restwright introspect (set POSTGRES_URL to run)", needs("postgres"), () => {
  test("prints programs that are formatted and compile in strict mode", async () => {
    const programs = new Map<string, string>();
    for (const name of fixtures) {
      const program = await introspect(await fixture(name));
      programs.set(name, program);
      expect(formatted(program)).toBe(program);
    }
    await expectCompiles(programs);
  });

  test.each(fixtures)("prints collections of %s that start without a difference, and leave rows as they are that are sent back", async (name) => {
    const database = await fixture(name);
    const resources = await resourcesOf(await introspect(database));
    const definitions = await watchDefinitions(database);
    expect((await check(database, resources)).differences).toEqual([]);
    const before = await stateOf(database);
    const request = await serve(postgresStorage({ connectionString: database.connectionString }), resources);
    let sent = 0;
    for (const resource of resources) {
      const answer = await request(`/${resource.name}`);
      expect(answer.status, resource.name).toBe(200);
      if (resource.idNames.length === 0) continue;
      const { data } = (await answer.json()) as { readonly data: readonly Readonly<Record<string, unknown>>[] };
      for (const row of data) {
        const path = pathOf(resource, row);
        const read = await request(path);
        const text = await read.text();
        expect(read.status, text).toBe(200);
        if (!resource.operations.has("replace")) continue;
        const headers = { "content-type": "application/json", "if-match": read.headers.get("etag") ?? "" };
        const replaced = await request(path, { method: "PUT", headers, body: text });
        expect(replaced.status, `${path} ${text} ${await replaced.clone().text()}`).toBe(200);
        sent++;
      }
    }
    expect(sent).toBeGreaterThan(3);
    expect(await stateOf(database)).toEqual(before);
    expect((await definitions?.()) ?? []).toEqual([]);
  });

  test.each(fixtures)("prints collections of %s in which a write changes one column", async (name) => {
    const database = await fixture(name);
    const resources = await resourcesOf(await introspect(database));
    const request = await serve(postgresStorage({ connectionString: database.connectionString }), resources);
    const before = await stateOf(database, countedColumns);
    let written = 0;
    for (const resource of resources) {
      const field = changeable(resource);
      if (field === undefined) continue;
      const { data } = (await (await request(`/${resource.name}`)).json()) as { readonly data: readonly Readonly<Record<string, unknown>>[] };
      for (const row of data) {
        const { [field]: text } = row;
        if (typeof text !== "string" || text.length > 3) continue;
        const path = pathOf(resource, row);
        for (const value of [`${text}!`, text]) {
          const headers = { "content-type": "application/json", "if-match": (await request(path)).headers.get("etag") ?? "" };
          const changed = await request(path, { method: "PATCH", headers, body: JSON.stringify({ [field]: value }) });
          expect(changed.status, `${path} ${field} ${await changed.clone().text()}`).toBe(200);
          expect(await changed.json()).toMatchObject({ [field]: value });
          written++;
        }
      }
    }
    expect(written).toBeGreaterThan(1);
    expect(await stateOf(database, countedColumns)).toEqual(before);
  });
});
