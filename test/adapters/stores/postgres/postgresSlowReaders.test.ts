// @long

import { createServer, type IncomingMessage, request } from "node:http";
import pg from "pg";
import { defineResource } from "restwright";
import { bearer } from "restwright/auth";
import { memoryBlobs } from "restwright/memory";
import { nodeHandler } from "restwright/node";
import { postgresStorage } from "restwright/postgres";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { complete } from "../../../../src/ground/storage/completed/complete.js";
import { needs } from "../../../tools/engines.js";
import { eventually } from "../../../tools/eventually.js";
import { type FullService, fullService } from "../../../tools/fullService.js";
import { ownSchema } from "../../../tools/storage/postgresSchema.js";
import { type Sent, send } from "../../hosts/client.js";
import { type ListeningHost, listen } from "../../hosts/host.js";

/** More than the kernel keeps for a connection, so that the rest waits for its reader. */
const rows = 12_000;
const text = "x".repeat(1_000);
const schema = z.object({ id: z.int(), text: z.string() });
const own = defineResource("own", { schema, generated: { id: "increment" } });
const old = defineResource("old", {
  schema,
  generated: { id: "database" },
  table: { name: "old_rows", managed: false, version: "hash", tenant: "shared" },
});

const people = ["ann", "bob", "cem", "dan", "eve", "fay", "gus", "hal"];

describe("slow readers of exports from PostgreSQL (set POSTGRES_URL to run)", needs("postgres"), () => {
  const place = ownSchema();
  let pool: pg.Pool;
  let service: FullService;
  let host: ListeningHost;
  let begun: IncomingMessage[] = [];

  beforeAll(async () => {
    const connectionString = await place.create();
    pool = new pg.Pool({ connectionString, max: 4, connectionTimeoutMillis: 5_000 });
    await pool.query("create table old_rows (id integer generated always as identity primary key, text text not null)");
    await pool.query(`insert into old_rows (text) select '${text}' from generate_series(1, ${rows})`);
    const storage = postgresStorage({ pool });
    service = fullService({
      resources: [own, old],
      storage,
      blobs: memoryBlobs(),
      jobs: { pollMs: 50 },
      auth: [bearer((token) => ({ id: token }))],
      principals: { reload: false },
      limits: { queryMs: 1_000 },
      probes: { ready: "/ready" },
      logger: false,
    });
    await service.start();
    const many = Array.from({ length: 1_000 }, () => ({ text, _version: "1", _updatedAt: new Date(0) }));
    for (let written = 0; written < rows; written += many.length) await complete(storage.collection(own.model)).insertMany(many, {});
    host = await listen(createServer(nodeHandler(service)));
  });
  afterEach(() => {
    for (const response of begun) response.destroy();
    begun = [];
  });
  afterAll(async () => {
    await host.close();
    await service.close({ graceMs: 0 });
    await pool.end();
    await place.drop();
  });

  const as = (who: string, sent: Sent = {}): Sent => ({ ...sent, headers: { ...sent.headers, authorization: `Bearer ${who}` } });

  /** An export of which nothing is read yet but its head. */
  function begin(collection: string, who: string): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const path = `/${collection}/export?format=ndjson`;
      const sent = request({ port: host.port, host: "127.0.0.1", path, headers: as(who).headers, agent: false });
      sent.on("error", reject);
      sent.on("response", (response) => {
        begun.push(response);
        resolve(response);
      });
      sent.end();
    });
  }

  async function countLines(response: IncomingMessage): Promise<number> {
    let lines = 0;
    for await (const chunk of response) for (const byte of chunk) if (byte === 10) lines++;
    return lines;
  }

  async function problemOf(response: IncomingMessage): Promise<unknown> {
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk);
    const { code } = JSON.parse(Buffer.concat(chunks).toString());
    return [response.statusCode, code, response.headers["retry-after"]];
  }

  /** What others get, while exports wait for their readers. */
  async function others(collection: string): Promise<readonly number[]> {
    const answers = await Promise.all([`/${collection}?perPage=1`, `/${collection}/1`, "/ready"].map((path) => send(host.port, path, as("zoe"))));
    return answers.map(({ status }) => status);
  }

  test.each(["own", "old"])("leave the pool to others, and get theirs in turn: %s", async (collection) => {
    const waiting = Promise.all(people.map((who) => begin(collection, who)));
    let isOver = false;
    void waiting.then(() => {
      isOver = true;
    });
    while (!isOver) expect(await others(collection)).toEqual([200, 200, 200]);
    const answered = await waiting;
    const reading = answered.filter(({ statusCode }) => statusCode === 200);
    const refused = answered.filter((response) => !reading.includes(response));
    expect(reading).toHaveLength(1);
    expect(await Promise.all(refused.map(problemOf))).toEqual(refused.map(() => [503, "STORAGE_UNAVAILABLE", "5"]));
    await eventually(() => expect(pool.totalCount - pool.idleCount).toBe(1));
    expect(await others(collection)).toEqual([200, 200, 200]);
    const untilRead = async (who: string): Promise<number> => {
      const response = await begin(collection, who);
      if (response.statusCode === 200) return countLines(response);
      expect(await problemOf(response)).toEqual([503, "STORAGE_UNAVAILABLE", "5"]);
      return untilRead(who);
    };
    const counts = await Promise.all([...reading.map(countLines), ...people.slice(1).map(untilRead)]);
    expect(counts).toEqual(people.map(() => rows));
    await eventually(() => expect(pool.totalCount - pool.idleCount).toBe(0));
  });

  test("are waited for by an export that runs as a job, for longer than by another reader", async () => {
    const reading = await begin("own", "ann");
    const headers = { "content-type": "application/json" };
    const submitted = await send(host.port, "/exports", as("bob", { method: "POST", headers, body: '{"collection":"own","format":"ndjson"}' }));
    const job = async () => JSON.parse((await send(host.port, String(submitted.headers.location), as("bob"))).body.toString());
    await eventually(async () => expect((await job()).status).toBe("processing"));
    for (const who of ["cem", "dan"]) expect((await begin("own", who)).statusCode).toBe(503);
    expect(await job()).toMatchObject({ status: "processing" });
    reading.destroy();
    await eventually(async () => expect(await job()).toMatchObject({ status: "completed", result: { rows } }));
  });
});
