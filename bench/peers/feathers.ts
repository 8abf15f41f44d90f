import type { Server } from "node:http";
import { createRequire } from "node:module";
import { join } from "node:path";

/** A framework that creates an array of items in one request. It is no dependency: nothing but this benchmark needs it. */
export const feathersName = "feathers";

/** What is installed of it. */
export const feathersPackages = [
  ...["feathers", "koa", "memory", "knex", "schema"].map((part) => `@feathersjs/${part}@5.0.50`),
  "knex@3.3.0",
  "pg@8.23.1",
] as const;

/** Changes one member of what a client sent; `undefined` leaves it out. */
type Resolve = (value: unknown, data: Readonly<Record<string, unknown>>) => Promise<unknown>;

/** What is used of the packages. */
export interface FeathersModules {
  readonly feathers: { feathers(): unknown };
  readonly koa: {
    koa(app: unknown): FeathersApp;
    errorHandler(): unknown;
    bodyParser(options: { readonly jsonLimit: string }): unknown;
    rest(): unknown;
  };
  readonly memory: { readonly MemoryService: new (options: object) => object };
  readonly knexService: { readonly KnexService: new (options: object) => object };
  readonly schema: {
    readonly Ajv: new (options: object) => unknown;
    addFormats(ajv: unknown, formats: readonly string[]): void;
    getValidator(schema: object, ajv: unknown): unknown;
    resolve(properties: Readonly<Record<string, Resolve>>): unknown;
    readonly hooks: { validateData(validator: unknown): unknown; resolveData(resolver: unknown): unknown; resolveResult(resolver: unknown): unknown };
  };
  readonly knex: (options: object) => Knex;
  /** Of knex, for drivers with the interface of `better-sqlite3`. */
  readonly BetterSqliteClient: new (
    options: object,
  ) => object;
}

export interface FeathersApp {
  configure(plugin: unknown): void;
  use(middleware: unknown): void;
  use(path: string, service: object, options: { readonly methods: readonly string[] }): void;
  service(path: string): { hooks(hooks: object): void };
  listen(port: number, host: string): Promise<Server>;
}

export interface Knex {
  raw(sql: string): PromiseLike<unknown>;
  batchInsert(table: string, rows: readonly object[], rowsAtOnce: number): PromiseLike<unknown>;
}

/** @param folder where they were installed */
export function loadFeathers(folder: string): FeathersModules {
  const load = createRequire(join(folder, "package.json"));
  return {
    feathers: load("@feathersjs/feathers"),
    koa: load("@feathersjs/koa"),
    memory: load("@feathersjs/memory"),
    knexService: load("@feathersjs/knex"),
    schema: load("@feathersjs/schema"),
    knex: load("knex"),
    BetterSqliteClient: load("knex/lib/dialects/better-sqlite3"),
  };
}
