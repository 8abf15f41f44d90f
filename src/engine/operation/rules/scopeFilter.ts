import { resolveLimits } from "../../../ground/limits/limits.js";
import { ConfigurationError } from "../../../ground/problem/index.js";
import type { Filter } from "../../../ground/storage/filter.js";
import { parseWhere } from "../../../language/query/conditions/where.js";
import type { Faults } from "../../../language/query/fault.js";
import { type QuerySettings, querySettings } from "../../../language/query/settings.js";
import type { Principal } from "../../../parts/auth/verifier.js";
import type { RowRules } from "./rowRules.js";

/** The filter of a scope that allows no row. */
export const noRow: Filter = { op: "or", args: [] };

/** The limits of clients do not apply to the developer's own conditions. */
const settings: QuerySettings = /* @__PURE__ */ withoutLimits();

function withoutLimits(): QuerySettings {
  const limits = resolveLimits({});
  return querySettings({ ...limits, ...Object.fromEntries(Object.keys(limits).map((name) => [name, Number.POSITIVE_INFINITY])) });
}

const anyField = () => "allowed" as const;

/**
 * The filter of a `where` that a scope answered.
 *
 * @throws {ConfigurationError} for anything that could mean "no condition" by accident: an empty object, an `undefined` in it, an unknown field, an object of the
 *   principal's claims
 */
export function scopeFilter({ table }: RowRules, where: object, principal: Principal): Filter {
  requireConditions(table.collection, where, objectsOf(principal));
  const faults: Faults = [];
  // The table has no relations, so that the tree has no conditions on related rows.
  const filter = parseWhere(where, { table, gate: anyField, settings, faults }) as Filter | undefined;
  const [fault] = faults;
  if (fault !== undefined || filter === undefined) throw scopeFault(table.collection, fault?.detail ?? "It has no condition.");
  return filter;
}

/** The error of a rule that gave no usable answer: the client gets a 500, and nothing is read or written. */
export function scopeFault(collection: string, why: string): ConfigurationError {
  return new ConfigurationError(`${collection}: the answer of "scope" cannot be used, so no row is shown. ${why}`);
}

function requireConditions(collection: string, value: unknown, untrusted: ReadonlySet<object>): void {
  if (value === undefined) throw scopeFault(collection, "A value in it is undefined.");
  if (typeof value !== "object" || value === null || value instanceof Date) return;
  if (Array.isArray(value)) {
    for (const item of value) requireConditions(collection, item, untrusted);
    return;
  }
  if (untrusted.has(value)) throw scopeFault(collection, "It contains an object of the principal, which could be read as operators.");
  const members = Object.entries(value);
  if (members.length === 0) throw scopeFault(collection, "It contains an empty object, which is no condition.");
  for (const [name, member] of members) {
    // An empty `and` is true for every row.
    if (name === "and" && Array.isArray(member) && member.length === 0) throw scopeFault(collection, `It contains an empty "and".`);
    requireConditions(collection, member, untrusted);
  }
}

const known = new WeakMap<Principal, ReadonlySet<object>>();

/** The objects that came with the credentials. Their shape is whatever the issuer wrote. */
function objectsOf(principal: Principal): ReadonlySet<object> {
  let objects = known.get(principal);
  if (objects === undefined) {
    const found = new Set<object>();
    collect(principal, found);
    objects = found;
    known.set(principal, objects);
  }
  return objects;
}

function collect(value: unknown, found: Set<object>): void {
  if (typeof value !== "object" || value === null || found.has(value)) return;
  found.add(value);
  for (const member of Object.values(value)) collect(member, found);
}
