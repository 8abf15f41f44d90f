// @slow

import pg from "pg";
import { postgresStorage } from "restwright/postgres";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Retryable, Unavailable } from "../../../../src/ground/storage/errors.js";
import type { CollectionModel } from "../../../../src/ground/storage/model.js";
import type { Storage } from "../../../../src/ground/storage/storage.js";
import { needs } from "../../../tools/engines.js";
import { eventually } from "../../../tools/eventually.js";
import { ownSchema } from "../../../tools/storage/postgresSchema.js";

const model: CollectionModel = {
  name: "notes",
  id: "id",
  idFrom: "store",
  columns: [
    { name: "id", kind: "int" },
    { name: "text", kind: "text" },
  ],
  unique: [{ fields: ["text"] }],
  indexes: [],
  searchable: [],
};

const note = (text: string) => ({ text, _version: text, _updatedAt: new Date(0) });

test("a server that does not answer is unavailable, and the message keeps the password to itself", async () => {
  const storage = postgresStorage({ connectionString: "postgres://ada:secret@127.0.0.1:1/shop", connectTimeoutMs: 500 });
  const failure = await storage.ping?.().then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(failure).toBeInstanceOf(Unavailable);
  expect(String(failure)).toContain("Check that it runs and that its address is correct.");
  expect(String(failure)).not.toContain("secret");
  expect(failure).toMatchObject({ wroteNothing: true });
  await storage.close?.();
});

/** The pool, whose connections break after the server has executed a statement that matches. */
function losingAnswers(pool: pg.Pool, lost: RegExp): pg.Pool {
  const losing = (client: pg.PoolClient): pg.PoolClient =>
    new Proxy(client, {
      get(target, member): unknown {
        const value: unknown = Reflect.get(target, member, target);
        if (typeof value !== "function") return value;
        if (member !== "query") return value.bind(target);
        return async (query: { readonly text: string }) => {
          const answer = await target.query(query);
          if (lost.test(query.text)) throw new Error("Connection terminated unexpectedly");
          return answer;
        };
      },
    });
  return new Proxy(pool, {
    get(target, member): unknown {
      const value: unknown = Reflect.get(target, member, target);
      if (member === "connect") return async () => losing(await target.connect());
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

describe("PostgreSQL (set POSTGRES_URL to run)", needs("postgres"), () => {
  const schema = ownSchema();
  let pool: pg.Pool;
  let connectionString = "";

  beforeAll(async () => {
    connectionString = await schema.create();
    pool = new pg.Pool({ connectionString });
    pool.on("error", () => {});
    await postgresStorage({ pool }).migrate?.([model]);
  });

  afterAll(async () => {
    await pool.end();
    await schema.drop();
  });

  async function endOtherConnections(): Promise<void> {
    const client = new pg.Client({ connectionString });
    await client.connect();
    await client.query("select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and application_name = 'faults'");
    await client.end();
  }

  test("a pool that was given stays open when the store is closed", async () => {
    await postgresStorage({ pool }).close?.();
    expect((await pool.query("select 1")).rowCount).toBe(1);
  });

  test("a connection that is ended in the middle of a transaction is unavailable, keeps nothing, and the store goes on", async () => {
    const storage = postgresStorage({ connectionString: `${connectionString}&application_name=faults` });
    const notes = storage.collection(model);
    const broken = storage.transaction?.(async (tx) => {
      await tx.collection(model).insert(note("lost"), {});
      await endOtherConnections();
      await new Promise((resolve) => setTimeout(resolve, 50));
      await tx.collection(model).insert(note("never"), {});
    });
    await expect(broken).rejects.toThrow(Unavailable);
    await expect(broken).rejects.toMatchObject({ wroteNothing: true });
    expect((await notes.insert(note("kept"), {})).ok).toBe(true);
    expect(await notes.count?.({ op: "in", path: ["text"], values: ["lost", "never"] }, {})).toBe(0);
    await storage.close?.();
  });

  test.each([
    ["a commit", /^commit/, (storage: Storage) => storage.transaction?.(async (tx) => tx.collection(model).insert(note("commit"), {})), "commit"],
    ["a single write", /^insert/, (storage: Storage) => storage.collection(model).insert(note("single"), {}), "single"],
  ])("%s whose answer is lost may have been done, and the failure does not deny it", async (_, lost, write, text) => {
    const storage = postgresStorage({ pool: losingAnswers(pool, lost) });
    const failure = await Promise.resolve(write(storage)).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(Unavailable);
    expect(failure).not.toHaveProperty("wroteNothing");
    const notes = postgresStorage({ pool }).collection(model);
    expect(await notes.count?.({ op: "eq", path: ["text"], value: text }, {})).toBe(1);
  });

  test("a role that may not create tables is told what helps", async () => {
    const role = `reader_${schema.name.slice(-12)}`;
    await pool.query(`create role ${role} login password '${role}'; create schema ${role}; grant usage on schema ${role} to ${role}`);
    const address = new URL(connectionString);
    address.username = role;
    address.password = role;
    const storage = postgresStorage({ connectionString: address.href, schema: role });
    const refusal = `The tables of this library cannot be created: permission denied for schema ${role}. Grant the role "create" on the schema,`;
    await expect(storage.migrate?.([model])).rejects.toThrow(refusal);
    await storage.close?.();
    await pool.query(`drop schema ${role} cascade; drop role ${role}`);
  });

  test("a write that the server refuses leaves its connection in the pool", async () => {
    const own = new pg.Pool({ connectionString, max: 1 });
    const process = async () => (await own.query<{ id: number }>("select pg_backend_pid() as id")).rows;
    const notes = postgresStorage({ pool: own }).collection(model);
    const before = await process();
    expect((await notes.insert(note("taken"), {})).ok).toBe(true);
    expect((await notes.insert(note("taken"), {})).ok).toBe(false);
    expect(await process()).toEqual(before);
    await own.end();
  });

  test("transactions do not write to a database that is read-only by default", async () => {
    const address = new URL(connectionString);
    address.searchParams.set("options", `${address.searchParams.get("options")} -c default_transaction_read_only=on`);
    const storage = postgresStorage({ connectionString: address.href });
    const written = storage.transaction?.(async (tx) => tx.collection(model).insert(note("full disk"), {}));
    await expect(written).rejects.toThrow("it is read-only");
    await expect(written).rejects.toMatchObject({ wroteNothing: true });
    await storage.close?.();
  });

  test("a connection that breaks before its first statement does not end the process", async () => {
    const own = new pg.Pool({ connectionString, max: 1 });
    await own.query("select 1");
    const notes = postgresStorage({ pool: own }).collection(model);
    const broken: unknown[] = [];
    const breakIt = (client: pg.PoolClient) => broken.push(client.emit("error", new Error("terminating connection")));
    // The error comes with the answer to the previous statement: after the pool stops listening, before the caller has the connection.
    own.on("acquire", (client) => queueMicrotask(() => breakIt(client)));
    const queries = [
      notes.find({ sort: [], limit: 1 }, {}),
      notes.find({ sort: [], limit: 1 }, { budgetMs: 1_000 }),
      notes.insert(note("broken"), {}),
    ];
    await Promise.all(queries);
    await postgresStorage({ pool: own }).transaction?.(async (tx) => tx.collection(model).get(1, {}));
    expect(broken.length).toBeGreaterThan(3);
    await own.end();
  });

  test("idle connections that the server ends do not end the process", async () => {
    const storage = postgresStorage({ connectionString: `${connectionString}&application_name=faults` });
    await storage.ping?.();
    await endOtherConnections();
    await new Promise((resolve) => setTimeout(resolve, 50));
    await storage.ping?.();
    await storage.close?.();
  });

  test("of two serializable transactions that exclude each other one may be tried again", async () => {
    const storage = postgresStorage({ pool });
    let counts = 0;
    const insertIfAlone = () =>
      storage.transaction?.(
        async (tx) => {
          const notes = tx.collection(model);
          const count = await notes.count?.({ op: "like", path: ["text"], parts: ["only", { any: "many" }] }, {});
          counts += 1;
          await eventually(() => expect(counts).toBe(2));
          if (count === 0) await notes.insert(note(`only ${Math.random()}`), {});
        },
        { isolation: "serializable" },
      );
    const outcomes = await Promise.allSettled([insertIfAlone(), insertIfAlone()]);
    const failed = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason as unknown] : []));
    expect(failed).toHaveLength(1);
    expect(failed[0]).toBeInstanceOf(Retryable);
  });

  test("a transaction that swallows a failed statement does not pass for committed", async () => {
    const storage = postgresStorage({ pool });
    const swallowing = storage.transaction?.(async (tx) => {
      await tx.collection(model).insert(note("swallowed"), {});
      await tx
        .collection({ ...model, name: "nowhere" })
        .get(1, {})
        .catch(() => {});
    });
    await expect(swallowing).rejects.toThrow("The transaction was rolled back");
    expect(await storage.collection(model).count?.({ op: "eq", path: ["text"], value: "swallowed" }, {})).toBe(0);
  });

  test("global type parsers of the application change nothing", async () => {
    const types = { ...pg.types, getTypeParser: () => () => "spoilt" };
    const spoilt = new pg.Pool({ connectionString, types });
    const notes = postgresStorage({ pool: spoilt }).collection(model);
    const outcome = await notes.insert({ ...note("typed"), _updatedAt: new Date("2026-01-31T12:00:00.123Z") }, {});
    const id = outcome.ok ? outcome.row["id"] : undefined;
    expect(typeof id).toBe("number");
    expect((await notes.get(id as number, {}))?._updatedAt).toEqual(new Date("2026-01-31T12:00:00.123Z"));
    await spoilt.end();
  });
});
