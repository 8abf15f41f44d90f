import { ConfigurationError } from "../../ground/problem/index.js";

const visible = /^[\x20-\x7e]*$/;

/**
 * A challenge: `("Bearer", { realm: "shop" })` → `Bearer realm="shop"`. Parameters without a value are left out.
 *
 * @throws {ConfigurationError} for a value that is invalid in a header
 * @see RFC 9110 §11.6.1
 */
export function formatChallenge(scheme: string, parameters: Readonly<Record<string, string | undefined>>): string {
  const pairs = Object.entries(parameters).flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${quoted(name, value)}`]));
  return `${scheme} ${pairs.join(", ")}`;
}

function quoted(name: string, value: string): string {
  if (!visible.test(value)) throw new ConfigurationError(`The ${name} of an authentication scheme must be visible ASCII and spaces.`);
  return `"${value.replace(/["\\]/g, "\\$&")}"`;
}
