// @long

import { expect, onTestFinished, test } from "vitest";
import { randomOf } from "../../fuzz/random.js";
import { variants } from "../../tools/engines.js";
import { ownSchema } from "../../tools/storage/postgresSchema.js";
import { temporaryFolder } from "../../tools/temporary.js";
import { uploadWhileKilled } from "./uploadWhileKilled.js";

const mebibyte = 1_048_576;
const seed = 20_261_122;

async function run(environment: Readonly<Record<string, string>>): Promise<void> {
  const { kills, faults } = await uploadWhileKilled({
    host: "fastify",
    environment: { DATA_DIR: temporaryFolder(), ...environment },
    bytes: 24 * mebibyte,
    // Slow enough that some of it is recorded by its time: so little would not be by its size.
    bytesPerSecond: 4 * mebibyte,
    seed,
    killAt: [0.45 + randomOf(seed)() * 0.1],
  });
  expect(faults).toEqual([]);
  expect(kills).toHaveLength(1);
}

const [onSqlite, onPostgres] = variants([], ["postgres"]);

test("the shop is killed in the middle of an upload, SQLite and disk: the client goes on where it was", { ...onSqlite, timeout: 90_000 }, () =>
  run({}),
);

test("the same, and only whole files are durable", { ...onSqlite, timeout: 90_000 }, () => run({ DURABLE_PIECES: "off" }));

test("the shop is killed in the middle of an upload, PostgreSQL and disk: the client goes on where it was (set POSTGRES_URL to run)", {
  ...onPostgres,
  timeout: 90_000,
}, async () => {
  const schema = ownSchema();
  const DATABASE_URL = await schema.create();
  onTestFinished(() => schema.drop());
  await run({ DATABASE_URL });
});
