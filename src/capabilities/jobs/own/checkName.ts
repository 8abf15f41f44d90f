import { ConfigurationError } from "../../../ground/problem/index.js";
import { quoteValue } from "../../../ground/problem/quote.js";

const pattern = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;

/** @param what has the name: `handler` @throws {ConfigurationError} for a name that does not fit into an id and a path as it is */
export function checkName(what: "handler" | "schedule", name: string): void {
  if (pattern.test(name)) return;
  throw new ConfigurationError(
    `jobs(): a ${what} has a name of up to 64 letters, digits, "-" and "_" that begins with a letter; got ${quoteValue(name)}.`,
  );
}
