import { createRequire } from "node:module";
import { join } from "node:path";

/** A framework that makes a REST API of the tables of a database. It is no dependency: nothing but this benchmark needs it. */
export const platformaticName = "platformatic";

/** What is installed of it: the parts of Platformatic DB that answer these requests. It compiles its driver of SQLite where there is no binary. */
export const platformaticPackages = ["@platformatic/sql-mapper@2.61.0", "@platformatic/sql-openapi@2.61.0", "fastify@5"] as const;

/** What is used of the packages. */
export interface PlatformaticModules {
  readonly fastify: () => PlatformaticApp;
  readonly mapper: unknown;
  readonly openapi: unknown;
}

export interface PlatformaticApp {
  register(plugin: unknown, options?: object): unknown;
  listen(options: { readonly port: number; readonly host: string }): Promise<string>;
  readonly server: import("node:http").Server;
}

/** Its access to the database while it starts. */
export interface PlatformaticDatabase {
  query(statement: unknown): Promise<unknown>;
}

/** A tag of templates; what is interpolated is bound. */
export interface SqlTag {
  (texts: TemplateStringsArray, ...values: readonly unknown[]): unknown;
  __dangerous__rawValue(text: string): unknown;
}

/** @param folder where they were installed */
export function loadPlatformatic(folder: string): PlatformaticModules {
  const load = createRequire(join(folder, "package.json"));
  return {
    fastify: load("fastify"),
    mapper: load("@platformatic/sql-mapper"),
    openapi: load("@platformatic/sql-openapi"),
  };
}
