import type { Call, Collection, Row } from "../../storage/collection.js";
import type { Filter } from "../../storage/filter.js";
import type { CollectionModel } from "../../storage/model.js";
import type { Id } from "../../storage/scalar.js";
import type { Reference, References } from "./references.js";

/** What the removal of rows needs. */
export interface RemovalParts {
  readonly references: References;
  /** Maximum number of rows that may be removed or changed in addition to the requested rows. */
  readonly maxRows: number;
  /** The rows of the collection itself in the open transaction. */
  readonly rows: Required<Collection>;
  /** The rows of a collection in the open transaction, with their hooks and events. */
  rowsOf(model: CollectionModel): Required<Collection>;
}

/** A row that names another one by a foreign key. */
export interface Dependent {
  readonly reference: Reference;
  readonly id: Id;
}

/** Finds the rows that reference other rows. If several rows will be removed one after the other, one query per relation reads the dependents of all. */
export class Dependents {
  readonly #parts: RemovalParts;
  readonly #upcoming: ReadonlySet<string>;
  readonly #ids: readonly Id[];
  /** Grouped by the id that they reference; `undefined` if there are too many to read at once. */
  readonly #read = new Map<Reference, ReadonlyMap<string, readonly Id[]> | undefined>();
  readonly #named = new Map<Reference, ReadonlySet<string>>();

  constructor(parts: RemovalParts, upcoming: readonly Id[]) {
    this.#parts = parts;
    this.#ids = upcoming;
    this.#upcoming = new Set(upcoming.map(String));
  }

  /** Finds and locks the rows that reference one of these ids. */
  async of(reference: Reference, ids: readonly Id[], limit: number, call: Call): Promise<readonly Dependent[]> {
    const known = this.#covers(ids) ? await this.#readAll(reference, call) : undefined;
    const found = known === undefined ? [...groupsOf(reference, await this.#find(reference, ids, limit, call)).values()].flat() : [];
    const all = known === undefined ? found : ids.flatMap((id) => known.get(String(id)) ?? []);
    return all.map((id) => ({ reference, id }));
  }

  /**
   * Whether a row references one of these ids.
   *
   * @param but `besides`: ids of rows to ignore; `hasChanged`: other rows were removed since, so that an earlier answer may be out of date
   */
  async areNamed(
    reference: Reference,
    ids: readonly Id[],
    { besides, hasChanged }: { readonly besides: readonly Id[]; readonly hasChanged: boolean },
    call: Call,
  ): Promise<boolean> {
    if (this.#covers(ids)) {
      const named = await this.#namedOf(reference, call);
      if (!ids.some((id) => named.has(String(id)))) return false;
      if (besides.length === 0 && !hasChanged && reference.holder !== reference.target) return true;
    }
    const { holder, field } = reference;
    const others: Filter = { op: "not", arg: anyOf(holder.id, besides) };
    const filter: Filter = besides.length === 0 ? anyOf(field, ids) : { op: "and", args: [anyOf(field, ids), others] };
    const found = await this.#parts.rowsOf(holder).find({ filter, sort: [], fields: [[holder.id]], limit: 1 }, call);
    return found.length > 0;
  }

  #covers(ids: readonly Id[]): boolean {
    return this.#ids.length > 1 && ids.length === 1 && ids.every((id) => this.#upcoming.has(String(id)));
  }

  async #readAll(reference: Reference, call: Call): Promise<ReadonlyMap<string, readonly Id[]> | undefined> {
    if (!this.#read.has(reference)) {
      const { maxRows } = this.#parts;
      const rows = await this.#find(reference, this.#ids, maxRows + 1, call);
      this.#read.set(reference, rows.length > maxRows ? undefined : groupsOf(reference, rows));
    }
    return this.#read.get(reference);
  }

  async #namedOf(reference: Reference, call: Call): Promise<ReadonlySet<string>> {
    const known = this.#named.get(reference);
    if (known !== undefined) return known;
    const { holder, field } = reference;
    const rows = await this.#parts.rowsOf(holder).findGroups({ key: field, keys: [...new Set(this.#ids)], fields: [[holder.id]], limit: 1 }, call);
    const named = new Set(rows.map((row) => String(row[field])));
    this.#named.set(reference, named);
    return named;
  }

  #find({ holder, field }: Reference, ids: readonly Id[], limit: number, call: Call): Promise<readonly Row[]> {
    const path = [holder.id] as const;
    const query = { filter: anyOf(field, [...new Set(ids)]), sort: [{ path, dir: "asc" }], fields: [path, [field]], limit, lock: "update" } as const;
    return this.#parts.rowsOf(holder).find(query, call);
  }
}

function groupsOf({ holder, field }: Reference, rows: readonly Row[]): ReadonlyMap<string, readonly Id[]> {
  const groups = new Map<string, Id[]>();
  for (const row of rows) {
    const key = String(row[field]);
    const ids = groups.get(key);
    if (ids === undefined) groups.set(key, [row[holder.id] as Id]);
    else ids.push(row[holder.id] as Id);
  }
  return groups;
}

/** A filter for the rows whose member has one of these values. */
export function anyOf(name: string, values: readonly Id[]): Filter {
  const [only] = values;
  return values.length === 1 && only !== undefined ? { op: "eq", path: [name], value: only } : { op: "in", path: [name], values };
}
