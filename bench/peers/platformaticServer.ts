import type { AddressInfo } from "node:net";
import { parseArgs } from "node:util";
import type { NewUser } from "../floor/user.js";
import { reportTo } from "../tools/control.js";
import { seedUsers } from "../tools/seed.js";
import { loadPlatformatic, type PlatformaticDatabase, type SqlTag } from "./platformatic.js";

const { values } = parseArgs({
  options: { store: { type: "string", default: "sqlite" }, location: { type: "string", default: "" }, folder: { type: "string", default: "" } },
});

const tables = [
  `CREATE TABLE users (
    id INTEGER PRIMARY KEY AUTOINCREMENT, status TEXT NOT NULL, createdAt TEXT NOT NULL, updatedAt TEXT NOT NULL, name TEXT NOT NULL,
    email TEXT NOT NULL UNIQUE COLLATE NOCASE, preferences TEXT NOT NULL, tags TEXT NOT NULL, address TEXT, bio TEXT, passwordHash TEXT, version TEXT NOT NULL
  )`,
  "CREATE INDEX users_status ON users (status, createdAt)",
  "CREATE INDEX users_created_at ON users (createdAt)",
];

async function fill(database: PlatformaticDatabase, sql: SqlTag): Promise<void> {
  for (const text of ["PRAGMA journal_mode = WAL", "PRAGMA synchronous = FULL", ...tables, "BEGIN"]) {
    await database.query(sql`${sql.__dangerous__rawValue(text)}`);
  }
  for (const user of seedUsers()) await database.query(insertOf(sql, user));
  await database.query(sql`COMMIT`);
}

function insertOf(sql: SqlTag, { status, createdAt, updatedAt, name, email, preferences, tags, address, version }: NewUser): unknown {
  const [created, updated] = [createdAt.toISOString(), updatedAt.toISOString()];
  const [preferred, tagged, placed] = [preferences, tags, address].map((value) => JSON.stringify(value));
  return sql`INSERT INTO users (status, createdAt, updatedAt, name, email, preferences, tags, address, version)
    VALUES (${status}, ${created}, ${updated}, ${name}, ${email}, ${preferred}, ${tagged}, ${placed}, ${version})`;
}

const { fastify, mapper, openapi } = loadPlatformatic(values.folder);
const app = fastify();
app.register(mapper, { connectionString: `sqlite://${values.location}`, onDatabaseLoad: fill });
app.register(openapi);
await app.listen({ port: 0, host: "127.0.0.1" });
reportTo((app.server.address() as AddressInfo).port);
