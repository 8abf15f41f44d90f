import type { RowChange } from "../../../ground/storage/changes.js";
import type { Collection, Row } from "../../../ground/storage/collection.js";
import type { CollectionModel } from "../../../ground/storage/model.js";
import type { Id } from "../../../ground/storage/values/scalar.js";

/**
 * What happened to one row within a page of the log.
 *
 * `after` is the row as it is now, which may be later than the page. A reader that was shown it gets the change that followed with a later page, where it is one of `befores`: so a row that a
 * reader has is among `befores` when it leaves.
 */
export interface RowDelta {
  readonly id: Id;
  /** The row before each change of the page. */
  readonly befores: readonly Row[];
  /** `undefined` if it does not exist any more. */
  readonly after: Row | undefined;
  /** Whether the page has its creation. */
  readonly isNew: boolean;
  /** Whether an earlier page already delivered `after`, because the row had changed again before that page was read. */
  readonly isKnown?: boolean | undefined;
}

/** Where rows are read. */
export interface TenantRows {
  readonly model: CollectionModel;
  readonly rows: Required<Collection>;
  readonly tenant: string | undefined;
}

/** The most rows that are read at once. */
const maxRead = 500;

/** Puts changes of a tenant together, one delta for each row, with the rows as they are now. */
export async function deltasOf(changes: readonly RowChange[], { model, rows, tenant }: TenantRows): Promise<readonly RowDelta[]> {
  const byId = new Map<Id, RowChange[]>();
  for (const change of changes) {
    const known = byId.get(change.id);
    if (known === undefined) byId.set(change.id, [change]);
    else known.push(change);
  }
  const now = await rowsNow([...byId.keys()], { model, rows, tenant });
  return [...byId].map(([id, all]) => ({
    id,
    befores: all.flatMap(({ before }) => before ?? []),
    after: now.get(id),
    isNew: all.some(({ kind }) => kind === "create"),
  }));
}

/** The deltas with the rows as they are now. */
export async function renewed(deltas: readonly RowDelta[], from: TenantRows): Promise<readonly RowDelta[]> {
  const now = await rowsNow(
    deltas.map(({ id }) => id),
    from,
  );
  return deltas.map((delta) => ({ ...delta, after: now.get(delta.id), isKnown: false }));
}

async function rowsNow(ids: readonly Id[], { model, rows, tenant }: TenantRows): Promise<ReadonlyMap<Id, Row>> {
  const now = new Map<Id, Row>();
  for (let start = 0; start < ids.length; start += maxRead) {
    const found = await rows.getMany(ids.slice(start, start + maxRead), { tenant });
    for (const row of found) now.set(row[model.id] as Id, row);
  }
  return now;
}
