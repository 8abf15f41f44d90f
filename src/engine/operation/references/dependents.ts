import type { Call, Collection, Row } from "../../../ground/storage/collection.js";
import type { Filter } from "../../../ground/storage/filter.js";
import { anyOf } from "../../../ground/storage/filterParts.js";
import type { CollectionModel } from "../../../ground/storage/model.js";
import type { Id, Path } from "../../../ground/storage/values/scalar.js";
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

/** Makes what finds the dependents of rows that are removed one after the other. Batches pass one, so that only they load it. */
export type FindUpcoming = (parts: RemovalParts, upcoming: readonly Id[]) => Dependents;

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
      return rows.map((row) => ({ reference, id: row[reference.holder.id] as Id }));
    },
    async areNamed({ holder, namesOneOf }, ids, { besides }, call) {
      const naming = namesOneOf(ids);
      const filter: Filter = besides.length === 0 ? naming : { op: "and", args: [naming, { op: "not", arg: anyOf([holder.id], besides) }] };
      const found = await parts.rowsOf(holder).find({ filter, sort: [], fields: [[holder.id]], limit: 1 }, call);
      return found.length > 0;
    },
  };
}

/** Reads and locks rows that reference one of these ids, in the order of their own ids. */
export function findDependents(
  parts: RemovalParts,
  { holder, fields, namesOneOf }: Reference,
  ids: readonly Id[],
  limit: number,
  call: Call,
): Promise<readonly Row[]> {
  const path = [holder.id] as const;
  const columns = [path, ...fields.map((field): Path => [field])];
  const query = { filter: namesOneOf([...new Set(ids)]), sort: [{ path, dir: "asc" }], fields: columns, limit, lock: "update" } as const;
  return parts.rowsOf(holder).find(query, call);
}
