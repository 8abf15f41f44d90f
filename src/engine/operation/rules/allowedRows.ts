import type { Call, Row } from "../../../ground/storage/collection.js";
import type { Filter, RelatedFilter } from "../../../ground/storage/filter.js";
import { idsQuery, relatedFilters } from "../../../ground/storage/filterParts.js";
import { compileFilter, type RowTest } from "../../../ground/storage/matches/compileFilter.js";
import { readersOf } from "../../../ground/storage/matches/path.js";
import type { CollectionModel } from "../../../ground/storage/model.js";
import type { Storage } from "../../../ground/storage/storage.js";
import type { RowValues } from "../../../ground/storage/values/rowValues.js";
import type { Id } from "../../../ground/storage/values/scalar.js";

/** Where parents of rows are read. */
export interface ParentRows {
  /** The storage of the transaction, if there is one. */
  readonly storage: Storage;
  /** Locks the parents until the transaction ends, so that they are not deleted meanwhile. */
  readonly lock?: "share" | undefined;
}

/** The answer of a scope: the rows that match a filter, or all rows. */
export class AllowedRows {
  /** `undefined` for all rows. */
  readonly filter: Filter | undefined;
  /** How many parents the filter leads through. */
  readonly depth: number;
  readonly #model: CollectionModel | undefined;
  readonly #related: readonly RelatedFilter[];
  readonly #parents = new Map<RelatedFilter, ReadonlySet<string>>();
  #test: RowTest | undefined;

  /** @param model of the collection; without it no condition is on a member of a field */
  constructor(filter: Filter | undefined, model?: CollectionModel, depth = 0) {
    this.filter = filter;
    this.depth = depth;
    this.#model = model;
    this.#related = filter === undefined || depth === 0 ? [] : relatedFilters(filter);
  }

  /** Whether a row is allowed; `undefined` if that needs its parents. */
  get test(): RowTest | undefined {
    return this.#related.length > 0 ? undefined : (row) => this.#matches(row);
  }

  /** Whether no row is allowed, whatever it contains. */
  get isNone(): boolean {
    return this.filter?.op === "or" && this.filter.args.length === 0;
  }

  /** Whether a row as it stands here is allowed; without a promise if no parent has to be read. */
  includes(row: Row, at: ParentRows, call: Call): boolean | Promise<boolean> {
    if (this.#related.length === 0) return this.#matches(row);
    return this.includedOf([row], at, call).then((included) => included.has(row));
  }

  /** The rows of these that are allowed. Parents are read with one query per relation. */
  async includedOf(rows: readonly Row[], at: ParentRows, call: Call): Promise<ReadonlySet<Row>> {
    const found = await Promise.all(this.#related.map((related) => parentsOf(rows, related, at, call)));
    for (const [index, related] of this.#related.entries()) this.#parents.set(related, found[index] ?? new Set());
    return new Set(rows.filter((row) => this.#matches(row)));
  }

  #matches(row: RowValues): boolean {
    if (this.filter === undefined) return true;
    this.#test ??= compileFilter(this.filter, {
      readAt: this.#model && readersOf(this.#model),
      searchable: this.#model?.searchable,
      related: (node) => (key) => this.#parents.get(node)?.has(String(key)) === true,
    });
    return this.#test(row);
  }
}

/** The ids of the parents that the rows name and that match. */
async function parentsOf(
  rows: readonly Row[],
  { path, collection, filter }: RelatedFilter,
  { storage, lock }: ParentRows,
  call: Call,
): Promise<ReadonlySet<string>> {
  const keys = [...new Set(rows.map((row) => row[path[0]] as Id | null | undefined))].filter((key) => key !== undefined && key !== null);
  if (keys.length === 0) return new Set();
  const found = await storage.collection(collection).find(idsQuery(collection.id, keys, filter, lock), call);
  return new Set(found.map((row) => String(row[collection.id])));
}
