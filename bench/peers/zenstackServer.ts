import { createRequire } from "node:module";
import { join } from "node:path";
import { type FastifyApp, listenOn, readPeerPlace } from "./listening.js";
import { openPeerDatabase, type PeerDatabase } from "./peerDatabase.js";

const { folder, location } = readPeerPlace();
const load = createRequire(join(folder, "package.json"));
const { ZenStackClient }: { readonly ZenStackClient: new (schema: object, options: object) => unknown } = load("@zenstackhq/orm");
const { SqliteDialect }: { readonly SqliteDialect: new (options: { readonly database: PeerDatabase }) => unknown } =
  load("@zenstackhq/orm/dialects/sqlite");
const { RestApiHandler }: { readonly RestApiHandler: new (options: object) => unknown } = load("@zenstackhq/server/api");
const { ZenStackFastifyPlugin }: { readonly ZenStackFastifyPlugin: unknown } = load("@zenstackhq/server/fastify");
const fastify: () => FastifyApp = load("fastify");

/** As ZenStack makes it. */
const table = `CREATE TABLE users (
  id integer NOT NULL PRIMARY KEY AUTOINCREMENT, status text DEFAULT 'active' NOT NULL, createdAt timestamp DEFAULT CURRENT_TIMESTAMP NOT NULL,
  updatedAt timestamp NOT NULL, name text NOT NULL, email text NOT NULL, preferences jsonb NOT NULL, tags jsonb NOT NULL, address jsonb, bio text,
  passwordHash text
)`;

const call = (name: string) => ({ kind: "call", function: name });
const named = (name: string, value: number) => ({ name, value: { kind: "literal", value } });
const length = (min: number, max: number) => ({ attributes: [{ name: "@length", args: [named("min", min), named("max", max)] }] });
const fields = {
  id: { type: "Int", id: true, default: call("autoincrement") },
  status: { type: "Status", default: "active" },
  ...{ createdAt: { type: "DateTime", default: call("now") }, updatedAt: { type: "DateTime", updatedAt: true } },
  name: { type: "String", ...length(1, 200) },
  email: { type: "String", unique: true, attributes: [{ name: "@email" }] },
  ...{ preferences: { type: "Json" }, tags: { type: "Json" }, address: { type: "Json", optional: true } },
  ...{ bio: { type: "String", optional: true, omit: true }, passwordHash: { type: "String", optional: true, omit: true } },
};

/** What its generator writes of a model of these fields. */
const schema = {
  provider: { type: "sqlite" },
  models: {
    users: {
      name: "users",
      fields: Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, { name, ...field }])),
      idFields: ["id"],
      uniqueFields: { id: { type: "Int" }, email: { type: "String" } },
    },
  },
  enums: { Status: { name: "Status", values: { active: "active", inactive: "inactive" } } },
  plugins: {},
};

const database = openPeerDatabase(location, table, (instant) => instant.toISOString());
const client = new ZenStackClient(schema, { dialect: new SqliteDialect({ database }) });
const app = fastify();
const apiHandler = new RestApiHandler({ schema, endpoint: "http://127.0.0.1/api" });
await app.register(ZenStackFastifyPlugin, { prefix: "/api", apiHandler, getClient: () => client });
await listenOn(app);
