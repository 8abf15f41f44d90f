import type { Store } from "../tools/serverOptions.js";
import { feathersName, feathersPackages } from "./feathers.js";
import { platformaticName, platformaticPackages } from "./platformatic.js";
import { type Dialect, feathersDialect, jsonServerDialect, platformaticDialect, remultDialect, zenstackDialect } from "./requests.js";

/** A server that restwright is compared with. None is a dependency: a run installs them into temporary folders. */
export interface Peer {
  readonly name: string;
  /** Each with its version. */
  readonly packages: readonly string[];
  /** Whether their install scripts run. */
  readonly scripts?: boolean | undefined;
  /** Of its server, from the root of the repository. */
  readonly source: string;
  readonly stores: readonly Store[];
  readonly dialect: Dialect;
  /** What it answers to a POST. */
  readonly created: number;
  /** Writes of one round, if it is too slow for as many as the others. */
  readonly maxWrites?: number | undefined;
}

/** On SQLite they use libsql, which has the interface of `better-sqlite3`; Platformatic has its own driver, and json-server a JSON file in place of a database. */
export const peers: readonly Peer[] = [
  {
    ...{ name: feathersName, packages: feathersPackages, source: "bench/peers/feathersServer.ts", stores: ["memory", "sqlite"] },
    ...{ dialect: feathersDialect, created: 201 },
  },
  {
    ...{ name: platformaticName, packages: platformaticPackages, scripts: true, source: "bench/peers/platformaticServer.ts", stores: ["sqlite"] },
    ...{ dialect: platformaticDialect, created: 200 },
  },
  {
    ...{ name: "remult", packages: ["remult@3.3.18", "fastify@5.8.5"], source: "bench/peers/remultServer.ts", stores: ["sqlite"] },
    ...{ dialect: remultDialect, created: 201 },
  },
  {
    name: "zenstack",
    packages: ["@zenstackhq/orm@3.9.4", "@zenstackhq/server@3.9.4", "fastify@5.8.5", "fastify-plugin@5.1.0", "zod@4.6.7"],
    ...{ source: "bench/peers/zenstackServer.ts", stores: ["sqlite"], dialect: zenstackDialect, created: 201 },
  },
  {
    ...{ name: "json-server", packages: ["json-server@0.17.4"], source: "bench/peers/jsonServer.ts", stores: ["sqlite"] },
    // Each write writes all rows.
    ...{ dialect: jsonServerDialect, created: 201, maxWrites: 50 },
  },
];
