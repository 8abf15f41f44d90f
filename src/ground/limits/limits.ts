import { ConfigurationError } from "../problem/index.js";

/** Every limit with its default. Sizes are bytes, times milliseconds. */
export const defaultLimits = {
  /** Path and query together → 414. */
  targetBytes: 8_192,
  /** Body of a request, and of an item of a batch → 413. */
  jsonBodyBytes: 1_048_576,
  /** Nesting of arrays and objects → 400. */
  jsonDepth: 64,
  /** Members of one object → 400. */
  jsonMembers: 1_000,
  /** Values of one body, or of the body of an item of a batch, at any depth → 400. */
  jsonValues: 20_000,
  /** Longest pause while a body is read → 408. */
  bodyStallMs: 30_000,
  /** Minimum bytes of a body per second, on average over `bodyStallMs` → 408. */
  bodyBytesPerSecond: 1_024,
  /** How long a client may read nothing of its answer before it is disconnected. */
  answerStallMs: 60_000,
  /** Query parameters of one request → 400. */
  parameters: 100,
  /** Filter conditions of one request → 400. */
  conditions: 30,
  /** Values of one list in a query → 400. */
  listValues: 100,
  /** One value of a query → 400. */
  valueBytes: 512,
  /** Keys of one `sort` → 400. */
  sortKeys: 5,
  /** Characters of one `like` pattern → 400. */
  patternLength: 256,
  /** Wildcards in one `like` pattern → 400. */
  patternWildcards: 5,
  /** `like` conditions of one query → 400. */
  likes: 8,
  /** Characters of all `like` patterns of one query, wildcards not counted → 400. */
  patternsLength: 512,
  /** Characters of `q` → 400. */
  searchLength: 256,
  /** Terms in `q` → 400. */
  searchTerms: 10,
  /** Nesting of a filter in a body → 400. */
  filterDepth: 8,
  /** Conditions, `and`, `or` and `not` of a filter in a body together → 400. */
  filterNodes: 100,
  /** Names in `fields`, `fields[…]` and `exclude` → 400. */
  fields: 100,
  /** Nesting of braces and dots in `fields` → 400. */
  fieldsDepth: 4,
  /** Relations that one request includes → 400. */
  includes: 10,
  /** Depth of included relations → 400. */
  includeDepth: 3,
  /** Rows of an included to-many relation. */
  includedRows: 100,
  /** Rows of another collection that a filter over a relation may match → 400. */
  relatedRows: 1_000,
  /** Other rows that the transaction of a delete may delete or change by `onDelete` → 409. */
  dependentRows: 1_000,
  /** How long one read of the storage may take → 503 QUERY_TIMEOUT. */
  queryMs: 5_000,
  /** How long a hook or an action may take within a transaction → 503 HOOK_TIMEOUT. */
  hookMs: 5_000,
  /** How long a scope, a stamp, `authorize`, `tenant`, `principals.reload` or a verifier may take → 503 HOOK_TIMEOUT. */
  ruleMs: 10_000,
  /** Rows of a page without `perPage`. */
  perPage: 20,
  /** Largest `perPage` → 400. */
  maxPerPage: 100,
  /** `(page − 1) × perPage` stays below this. */
  offset: 10_000,
  /** Totals are exact up to this number. */
  count: 10_000,
  /** Steps of one JSON Patch, at most 1,000 → 400. */
  patchOperations: 100,
  /** How often a write without If-Match is retried when its row has changed meanwhile, before 409. */
  writeRetries: 5,
  /** Items of a batch on one collection, and rows that a write by filter may change → 413. */
  batchItems: 1_000,
  /** Operations of a batch over all collections → 413. */
  batchOperations: 100,
  /** Body of a batch, and what the reads of one over all collections answer together → 413. Results show rows of as many characters. */
  batchBodyBytes: 10_485_760,
  /** Values of a batch's body, at any depth → 400. */
  batchValues: 500_000,
  /** How long a batch may take before it continues as a job, or ends unfinished. */
  batchMs: 30_000,
  /** How long a client may take to read a streamed export. */
  exportMs: 3_600_000,
  /** Streamed exports that one principal may read at once, in one process → 429. */
  exportsPerPrincipal: 2,
  /** File of an import as a job, before and after it is decompressed → 413. */
  importBytes: 5_368_709_120,
  /** File of an import that is done within the request → 413. */
  importNowBytes: 5_242_880,
  /** Rows of an import that is done within the request → 413. */
  importNowRows: 10_000,
  /** File that is one JSON array, which is held in memory → 413. */
  importArrayBytes: 10_485_760,
  /** Rows of an all-or-nothing import → 413. */
  importStopRows: 200_000,
  /** One row of an import, in bytes. */
  importRowBytes: 1_000_000,
  /** Columns of a CSV file → 422. */
  importColumns: 1_000,
} as const satisfies Record<string, number>;

export type Limits = { readonly [name in keyof typeof defaultLimits]: number };

/**
 * The defaults with the developer's changes, which `limitsSchema` has checked.
 *
 * @throws {ConfigurationError} for limits that contradict each other
 */
export function resolveLimits(changes: Partial<Limits> = {}): Limits {
  const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
  const limits: Limits = { ...defaultLimits, ...given };
  if (limits.perPage > limits.maxPerPage) {
    throw new ConfigurationError(`The limit "perPage" (${limits.perPage}) exceeds "maxPerPage" (${limits.maxPerPage}).`);
  }
  return limits;
}
