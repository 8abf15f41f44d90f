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

/** Finds the rows that reference other rows. */
export interface Dependents {
  /** Finds and locks the rows that reference one of these ids. */
  of(reference: Reference, ids: readonly Id[], limit: number, call: Call): Promise<readonly Dependent[]>;
  /**
   * Whether a row references one of these ids.
   *
   * @param but `besides`: ids of rows to ignore; `hasChanged`: other rows were removed since, so that an earlier answer may be out of date
   */
  areNamed(
    reference: Reference,
    ids: readonly Id[],
    but: { readonly besides: readonly Id[]; readonly hasChanged: boolean },
    call: Call,
  ): Promise<boolean>;
}

/** Finds them by a query for each call. */
export function dependentsIn(parts: RemovalParts): Dependents {
  return {
    async of(reference, ids, limit, call) {
      const rows = await findDependents(parts, reference, ids, limit, call);
      return [...dependentsByTarget(reference, rows).values()].flat().map((id) => ({ reference, id }));
    },
    async areNamed({ holder, field }, ids, { besides }, call) {
      const others: Filter = { op: "not", arg: anyOf(holder.id, besides) };
      const filter: Filter = besides.length === 0 ? anyOf(field, ids) : { op: "and", args: [anyOf(field, ids), others] };
      const found = await parts.rowsOf(holder).find({ filter, sort: [], fields: [[holder.id]], limit: 1 }, call);
      return found.length > 0;
    },
  };
}

/** Reads and locks rows that reference one of these ids, in the order of their own ids. */
export function findDependents(
  parts: RemovalParts,
  { holder, field }: Reference,
  ids: readonly Id[],
  limit: number,
  call: Call,
): Promise<readonly Row[]> {
  const path = [holder.id] as const;
  const query = { filter: anyOf(field, [...new Set(ids)]), sort: [{ path, dir: "asc" }], fields: [path, [field]], limit, lock: "update" } as const;
  return parts.rowsOf(holder).find(query, call);
}

/** Ids of rows by the id that they reference. */
export function dependentsByTarget({ holder, field }: Reference, rows: readonly Row[]): ReadonlyMap<string, readonly Id[]> {
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
