import { randomUUID } from "node:crypto";
import type { Store } from "../tools/serverOptions.js";
import type { FeathersApp, FeathersModules } from "./feathers.js";

const text = (minLength: number, maxLength: number) => ({ type: "string", minLength, maxLength });

const userSchema = {
  $id: "User",
  type: "object",
  additionalProperties: false,
  required: ["name", "email"],
  properties: {
    status: { enum: ["active", "inactive"], default: "active" },
    name: text(1, 200),
    email: { type: "string", format: "email", maxLength: 254 },
    preferences: {
      type: "object",
      additionalProperties: false,
      properties: { newsletter: { type: "boolean", default: false }, locale: { ...text(2, 35), default: "en" } },
      default: { newsletter: false, locale: "en" },
    },
    tags: { type: "array", maxItems: 50, items: text(1, 50), default: [] },
    address: {
      type: "object",
      additionalProperties: false,
      required: ["city", "country"],
      properties: { city: text(0, 100), country: text(0, 100) },
    },
    bio: text(0, 10_000),
    passwordHash: text(0, 200),
  },
};

/** Members that tables keep as JSON. */
export const jsonMembers = ["preferences", "tags", "address"] as const;

const json = async (value: unknown) => (value === undefined ? undefined : JSON.stringify(value));
const parsed = async (value: unknown) => (typeof value === "string" ? JSON.parse(value) : (value ?? undefined));
const now = async () => new Date().toISOString();
const hidden = async () => undefined;
const version = async () => randomUUID();

/** The users as the manual of Feathers has a service with many creates: a schema, resolvers, a REST transport on Koa. */
export function feathersUsers({ feathers, koa, schema }: FeathersModules, users: object, store: Store): FeathersApp {
  const app = koa.koa(feathers.feathers());
  app.use(koa.errorHandler());
  app.use(koa.bodyParser({ jsonLimit: "10mb" }));
  app.configure(koa.rest());
  app.use("users", users, { methods: ["create", "get", "find", "patch"] });
  const ajv = new schema.Ajv({ useDefaults: true, coerceTypes: false });
  // A patch has no defaults.
  const patchAjv = new schema.Ajv({ coerceTypes: false });
  for (const each of [ajv, patchAjv]) schema.addFormats(each, ["email"]);
  const columns =
    store === "memory" ? {} : { email_fold: async (_: unknown, { email }: Readonly<Record<string, unknown>>) => `${email}`.toLowerCase() };
  const written = store === "memory" ? {} : Object.fromEntries(jsonMembers.map((member) => [member, json]));
  const read = store === "memory" ? {} : { email_fold: hidden, ...Object.fromEntries(jsonMembers.map((member) => [member, parsed])) };
  app.service("users").hooks({
    around: { all: [schema.hooks.resolveResult(schema.resolve({ passwordHash: hidden, bio: hidden, ...read }))] },
    before: {
      create: [
        schema.hooks.validateData(schema.getValidator(userSchema, ajv)),
        schema.hooks.resolveData(schema.resolve({ createdAt: now, updatedAt: now, version, ...columns, ...written })),
      ],
      patch: [
        schema.hooks.validateData(schema.getValidator({ ...userSchema, $id: "UserPatch", required: [] }, patchAjv)),
        schema.hooks.resolveData(schema.resolve({ updatedAt: now, version, ...written })),
      ],
    },
  });
  return app;
}
