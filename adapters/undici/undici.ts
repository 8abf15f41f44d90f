import type * as Undici from "undici";
import { optionalPackage } from "../../src/ground/options/optionalPackage.js";

/** What is used of the package, once {@link loadUndici} has ended. */
export let Client: typeof Undici.Client;
export let buildConnector: typeof Undici.buildConnector;
export let HTTPParserError: typeof Undici.errors.HTTPParserError;

const load = /* @__PURE__ */ optionalPackage(() => import("undici"), { name: "undici", version: "7", neededBy: "undiciTransport" });

/** @throws {ConfigurationError} if the package is not installed */
export async function loadUndici(): Promise<void> {
  const undici = await load();
  ({ Client, buildConnector } = undici);
  ({ HTTPParserError } = undici.errors);
}
