// @long

import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createService, type Resource } from "restwright";
import { batch } from "restwright/batch";
import { nodeHandler } from "restwright/node";
import { postgresStorage } from "restwright/postgres";
import { describe, expect, onTestFinished, test } from "vitest";
import { needs } from "../../../../tools/engines.js";
import { type Database, developersDatabases } from "../database.js";
import { resourcesOf } from "./introspected.js";
import { countedColumns, fixtures, fixtureText, introspect, stateOf } from "./introspectedPostgres.js";
import { expectPatches, expectReads, expectRemoval, expectSameAfterPut, type Request } from "./socketChecks.js";
import { watchDefinitions } from "./watchDefinitions.js";

const databaseWith = developersDatabases();

/** Serves the collections on a port of this machine until the test has finished. */
async function listen({ connectionString }: Database, resources: readonly Resource[]): Promise<Request> {
  const storage = postgresStorage({ connectionString });
  const service = createService({ resources, storage, use: [batch()], logger: false });
  const server = createServer(nodeHandler(service)).listen(0, "127.0.0.1");
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await service.close({ graceMs: 0 });
    await storage.close?.();
  });
  await once(server, "listening");
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return async (path, { method = "GET", headers = {}, json } = {}) => {
    const body = json === undefined ? null : JSON.stringify(json);
    const answer = await fetch(`${origin}${path}`, {
      method,
      body,
      headers: { ...(body !== null && { "content-type": "application/json" }), ...headers },
    });
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  };
}

describe("described tables over sockets (set POSTGRES_URL to run)", needs("postgres"), () => {
  test.each(fixtures)("those of %s are read, written and removed, and only what a request says changes", async (name) => {
    const database = await databaseWith(fixtureText(name));
    const resources = await resourcesOf(await introspect(database));
    const definitions = await watchDefinitions(database);
    const request = await listen(database, resources);
    const before = await stateOf(database);

    const rows = new Map<Resource, Awaited<ReturnType<typeof expectReads>>>();
    for (const resource of resources) rows.set(resource, await expectReads(request, resource));
    expect(await stateOf(database)).toEqual(before);

    const eachRow = [...rows].flatMap(([resource, all]) => (resource.idNames.length === 0 ? [] : all.map((row) => ({ resource, row }))));
    /** Runs it with each row. @returns for how many it did something */
    const count = async (run: (request: Request, resource: Resource, row: (typeof eachRow)[number]["row"]) => Promise<boolean>) => {
      let done = 0;
      for (const { resource, row } of eachRow) if (await run(request, resource, row)) done += 1;
      return done;
    };
    expect(await count(expectSameAfterPut)).toBeGreaterThan(3);
    expect(await stateOf(database)).toEqual(before);

    const counted = await stateOf(database, countedColumns);
    expect(await count(expectPatches)).toBeGreaterThan(0);
    expect(await stateOf(database, countedColumns)).toEqual(counted);

    // Those that name others come last in a fixture, and go first.
    eachRow.reverse();
    expect(await count(expectRemoval)).toBeGreaterThan(0);
    expect((await definitions?.()) ?? []).toEqual([]);
  });
});
