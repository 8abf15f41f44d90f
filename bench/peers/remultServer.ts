import { createRequire } from "node:module";
import { join } from "node:path";
import { type FastifyApp, listenOn, readPeerPlace } from "./listening.js";
import { openPeerDatabase, type PeerDatabase } from "./peerDatabase.js";

/** What is used of Remult. */
interface RemultModule {
  readonly Fields: {
    autoIncrement(): unknown;
    createdAt(): unknown;
    updatedAt(): unknown;
    json(options?: object): unknown;
    literal(values: () => readonly string[], options?: object): unknown;
    string(options?: object): unknown;
  };
  readonly Validators: { readonly required: unknown; readonly email: unknown; maxLength(length: number): unknown };
  readonly SqlDatabase: new (provider: unknown) => unknown;
  describeEntity(entity: unknown, key: string, fields: object, options: object): void;
}

const { folder, location } = readPeerPlace();
const load = createRequire(join(folder, "package.json"));
const { Fields, Validators, SqlDatabase, describeEntity }: RemultModule = load("remult");
const { BetterSqlite3DataProvider }: { readonly BetterSqlite3DataProvider: new (database: PeerDatabase) => unknown } =
  load("remult/remult-better-sqlite3");
const { remultApi }: { remultApi(options: object): unknown } = load("remult/remult-fastify");
const fastify: () => FastifyApp = load("fastify");

/** As Remult makes it: instants as numbers, texts that may not be null. */
const table = `CREATE TABLE users (
  id integer PRIMARY KEY AUTOINCREMENT, status text DEFAULT '' NOT NULL, createdAt integer, updatedAt integer, name text DEFAULT '' NOT NULL,
  email text DEFAULT '' NOT NULL, preferences json DEFAULT 0 NOT NULL, tags json DEFAULT 0 NOT NULL, address json,
  bio text DEFAULT '' NOT NULL, passwordHash text DEFAULT '' NOT NULL
)`;

class User {}

const text = (maxLength: number) => ({ validate: [Validators.required, Validators.maxLength(maxLength)] });
const hidden = { includeInApi: false };
const fields = {
  id: Fields.autoIncrement(),
  status: Fields.literal(() => ["active", "inactive"], { defaultValue: () => "active" }),
  ...{ createdAt: Fields.createdAt(), updatedAt: Fields.updatedAt() },
  name: Fields.string(text(200)),
  email: Fields.string({ validate: [Validators.required, Validators.email, Validators.maxLength(254)] }),
  ...{ preferences: Fields.json(), tags: Fields.json(), address: Fields.json({ allowNull: true }) },
  ...{ bio: Fields.string(hidden), passwordHash: Fields.string(hidden) },
};
describeEntity(User, "users", fields, { allowApiCrud: true });

const database = openPeerDatabase(location, table, (instant) => instant.getTime());
const app = fastify();
const dataProvider = new SqlDatabase(new BetterSqlite3DataProvider(database));
await app.register(remultApi({ entities: [User], dataProvider, ensureSchema: false, admin: false }));
await listenOn(app);
