// Creates, reads, changes, lists and removes rows: node store.js <libsql | better-sqlite3 | pg>.
import assert from "node:assert/strict";
import { createService, defineResource } from "restwright";
import { z } from "zod";

const [driver] = process.argv.slice(2);

async function open() {
  if (driver === "pg") {
    const { default: pg } = await import("pg");
    const { postgresStorage } = await import("restwright/postgres");
    const pool = new pg.Pool({ connectionString: process.env.POSTGRES_URL });
    const schema = `peers_${process.pid}`;
    const storage = postgresStorage({ pool, schema });
    return [storage, () => pool.query(`DROP SCHEMA "${schema}" CASCADE`).then(() => pool.end())];
  }
  const { sqliteStorage } = await import("restwright/sqlite");
  return [sqliteStorage({ path: ":memory:", driver }), () => undefined];
}

const schema = z.object({ id: z.int(), name: z.string(), tags: z.array(z.string()), born: z.date().optional() });
const users = defineResource("users", { schema, generated: { id: "increment" }, unique: ["name"] });
const [storage, remove] = await open();
const service = createService({ resources: [users], storage });
await service.start();

async function send(method, target, value) {
  const [path, query = ""] = target.split("?");
  const body = value === undefined ? { kind: "none" } : { kind: "bytes", bytes: Buffer.from(JSON.stringify(value)) };
  const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
  const headers = ["host", "localhost", ...(value === undefined ? [] : ["content-type", type])];
  const answer = await service.handle({ method, path, query, mount: "", headers, body, signal: new AbortController().signal, native: undefined });
  return [answer.status, answer.body === null ? undefined : JSON.parse(String(answer.body))];
}

const row = { name: "Ada", tags: ["a", "b"], born: "1815-12-10T00:00:00.000Z" };
assert.deepEqual(await send("POST", "/users", row), [201, { id: 1, ...row }]);
assert.equal((await send("POST", "/users", row))[0], 422);
assert.equal((await send("POST", "/users", { name: "Ben", tags: [] }))[0], 201);
assert.deepEqual(await send("PATCH", "/users/1", { name: "Zoë" }), [200, { id: 1, ...row, name: "Zoë" }]);
const [, list] = await send("GET", "/users?sort=-name&name[like]=zo*");
assert.deepEqual([list.data, list.meta.total], [[{ id: 1, ...row, name: "Zoë" }], 1]);
assert.equal((await send("DELETE", "/users/1"))[0], 204);
assert.equal((await send("GET", "/users/1"))[0], 404);
await service.close();
await remove();
process.stdout.write("stored");
process.exit(0);
