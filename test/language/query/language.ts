import { z } from "zod";
import { type Limits, resolveLimits } from "../../../src/ground/limits/limits.js";
import type { ProblemError } from "../../../src/ground/problem/index.js";
import { parseSearchBody } from "../../../src/language/query/conditions/body.js";
import type { Faults } from "../../../src/language/query/fault.js";
import { type ListQuery, parseListQuery, refuseFaults } from "../../../src/language/query/grammar/parse.js";
import type { Parsing } from "../../../src/language/query/parsing.js";
import { type QuerySettings, querySettings } from "../../../src/language/query/settings.js";
import { compileQueryTable, type QueryTable, type QueryTableOptions } from "../../../src/language/query/table.js";
import { type FieldAccess, type Gate, gateFor } from "../../../src/language/schema/access.js";
import { introspectObject } from "../../../src/language/schema/introspect.js";
import type { Principal } from "../../../src/parts/auth/verifier.js";
import { problemFrom } from "../../ground/http/problemFrom.js";

/** A collection with a field of every kind. */
export const schema = z.object({
  id: z.int(),
  name: z.string(),
  email: z.email().nullable(),
  status: z.enum(["open", "paid", "void"]),
  level: z.literal([1, 2, 3]),
  total: z.number(),
  quantity: z.int().nullable(),
  big: z.bigint(),
  active: z.boolean(),
  day: z.iso.date(),
  createdAt: z.date(),
  key: z.uuid(),
  tags: z.array(z.string()),
  counts: z.array(z.int()),
  seen: z.array(z.date()),
  either: z.union([z.int(), z.boolean(), z.string()]),
  when: z.union([z.date(), z.bigint()]),
  address: z.object({
    city: z.string(),
    opened: z.date(),
    serial: z.bigint(),
    geo: z.object({ lat: z.number(), at: z.object({ zone: z.string(), deep: z.object({ er: z.string() }) }) }),
  }),
  lines: z.array(z.object({ sku: z.string() })),
  extra: z.record(z.string(), z.string()),
  ssn: z.string().optional(),
  secret: z.string(),
  plan: z.string().optional(),
});

const isAdmin = ({ id }: Principal) => id === "admin";

/** `ssn` is forbidden to all but the administrator, `plan` is hidden from them, nobody reads `secret`; all may filter by `key`, few read it. */
export const access: Readonly<Record<string, FieldAccess>> = {
  ssn: { read: isAdmin, onForbidden: "403" },
  plan: { read: isAdmin, onForbidden: "hide" },
  secret: { read: false },
  key: { read: isAdmin, filter: true },
};

const options: QueryTableOptions = {
  collection: "things",
  id: "id",
  search: ["name", "address.city"],
  ranges: { minTotal: "total", maxTotal: "total", createdFrom: "createdAt", createdTo: "createdAt" },
};

/** The compiled keys of a schema; of the one above where none is given. */
export function tableOf(changes: Partial<QueryTableOptions> = {}, shape: z.ZodObject = schema, rules: typeof access = access): QueryTable {
  const fields = [...introspectObject(shape).values()].map((field) => ({ ...field, access: rules[field.name] }));
  return compileQueryTable(fields, { ...(shape === schema ? options : { collection: "things", id: "id" }), ...changes });
}

export const table = tableOf();

/** What a test changes of how a query is parsed. */
export interface Circumstances {
  readonly table?: QueryTable;
  readonly gate?: Gate;
  readonly limits?: Partial<Limits>;
  readonly settings?: Partial<Omit<QuerySettings, "limits">>;
}

/** Parses a query string for someone without particular rights. */
export function parse(query: string, circumstances: Circumstances = {}): ListQuery {
  return read(circumstances, (parsing) => parseListQuery(query, parsing));
}

/** Reads a search of a body for someone without particular rights. */
export function search(body: unknown, circumstances: Circumstances = {}): ListQuery {
  return read(circumstances, (parsing) => parseSearchBody(body, parsing));
}

/** The filter of a body. */
export function where(filter: unknown, circumstances: Circumstances = {}) {
  return search({ filter }, circumstances).filter;
}

type Read = (parsing: Parsing) => ListQuery;

function read({ table: own = table, gate = someone, limits, settings }: Circumstances, parser: Read): ListQuery {
  const faults: Faults = [];
  const query = parser({ table: own, gate, settings: querySettings(resolveLimits(limits), settings), faults });
  refuseFaults(faults);
  return query;
}

export const someone = gateFor({ id: "someone" });
export const admin = gateFor({ id: "admin" });

export { problemFrom };

/** The problem that a query string ends in. */
export function refusal(query: string, circumstances: Circumstances = {}): ProblemError {
  return problemFrom(() => parse(query, circumstances));
}
