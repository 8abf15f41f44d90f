import { ConfigurationError } from "../problem/index.js";

/** Every limit with its default. Sizes are bytes, times milliseconds. */
export const defaultLimits = {
  /** Path and query together → 414. */
  targetBytes: 8_192,
  /** → 413. */
  jsonBodyBytes: 1_048_576,
  /** Nesting of arrays and objects → 400. */
  jsonDepth: 64,
  /** Members of one object → 400. */
  jsonMembers: 1_000,
  /** Values of one body, at any depth → 400. */
  jsonValues: 20_000,
  /** Longest silence while a body is read → 408. */
  bodyStallMs: 30_000,
  /** Query parameters of one request → 400. */
  parameters: 100,
  /** Filter conditions of one request → 400. */
  conditions: 30,
  /** Values of one list in a query → 400. */
  listValues: 100,
  /** One value of a query → 400. */
  valueBytes: 512,
  sortKeys: 5,
  /** Characters of one `like` pattern, and wildcards in it → 400. */
  patternLength: 256,
  patternWildcards: 5,
  /** Characters of `q`, and terms in it → 400. */
  searchLength: 256,
  searchTerms: 10,
  /** Nesting of a filter in a body, and its conditions, `and`, `or` and `not` together → 400. */
  filterDepth: 8,
  filterNodes: 100,
  /** Names in `fields`, `fields[…]` and `exclude`, and nesting of braces and dots in them → 400. */
  fields: 100,
  fieldsDepth: 4,
  /** Relations that one request includes, and how far they reach → 400. */
  includes: 10,
  includeDepth: 3,
  /** Rows of a to-many relation that stand inline. */
  includedRows: 100,
  /** Rows of another collection that a filter over a relation may match → 400. */
  relatedRows: 1_000,
  /** Rows of a page where `perPage` is not given. */
  perPage: 20,
  perPageMaximum: 100,
  /** `(page − 1) × perPage` stays below this. */
  offset: 10_000,
  /** Totals are exact up to here. */
  count: 10_000,
  /** Operations of one JSON Patch, at most 1,000 → 400. */
  patchOperations: 100,
  /** How often a write without If-Match is tried again when its row has changed meanwhile, before 409. */
  writeRetries: 5,
  /** Entries of a batch on one collection, and rows that a write by filter may change → 413. */
  batchItems: 1_000,
  /** Operations of a batch over all collections → 413. */
  batchOperations: 100,
  /** Body of a batch → 413. */
  batchBodyBytes: 10_485_760,
  /** Values of a batch's body, at any depth → 400. */
  batchValues: 500_000,
  /** How long a batch may take before it goes on as a job, or ends unfinished. */
  batchMs: 30_000,
  /** How long a client may take nothing of an export that is written while it reads. */
  exportStallMs: 60_000,
  /** File of an import as a job, before and after it is decompressed → 413. */
  importBytes: 5_368_709_120,
  /** File of an import that is answered at once, and its rows → 413. */
  importNowBytes: 5_242_880,
  importNowRows: 10_000,
  /** File that is one JSON array: it is held in memory → 413. */
  importArrayBytes: 10_485_760,
  /** Rows of an import that takes all or none → 413. */
  importStopRows: 200_000,
  /** One row of an import, in bytes. */
  importRowBytes: 1_000_000,
  /** Columns of a CSV file → 422. */
  importColumns: 1_000,
} as const satisfies Record<string, number>;

export type Limits = { readonly [name in keyof typeof defaultLimits]: number };

const deepest = 1_000;
const mostOperations = 1_000;

/**
 * The defaults with the developer's changes.
 *
 * @throws {ConfigurationError} for an unknown name or a value that is not a positive safe integer
 */
export function resolveLimits(changes: Partial<Limits> = {}): Limits {
  for (const [name, value] of Object.entries(changes)) {
    if (!Object.hasOwn(defaultLimits, name)) {
      throw new ConfigurationError(`Unknown limit "${name}"; known: ${Object.keys(defaultLimits).join(", ")}.`);
    }
    if (value !== undefined && (!Number.isSafeInteger(value) || value < 1)) {
      throw new ConfigurationError(`The limit "${name}" must be a whole number of at least 1; got ${String(value)}.`);
    }
  }
  if ((changes.jsonDepth ?? 0) > deepest) {
    throw new ConfigurationError(`The limit "jsonDepth" must be at most ${deepest}: deeper JSON exhausts the stack; got ${changes.jsonDepth}.`);
  }
  if ((changes.patchOperations ?? 0) > mostOperations) {
    throw new ConfigurationError(`The limit "patchOperations" must be at most ${mostOperations}; got ${changes.patchOperations}.`);
  }
  const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
  const limits: Limits = { ...defaultLimits, ...given };
  if (limits.perPage > limits.perPageMaximum) {
    throw new ConfigurationError(`The limit "perPage" (${limits.perPage}) exceeds "perPageMaximum" (${limits.perPageMaximum}).`);
  }
  return limits;
}
