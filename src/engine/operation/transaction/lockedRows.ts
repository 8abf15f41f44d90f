import { ConfigurationError } from "../../../ground/problem/index.js";
import type { Call, Collection, CountedRows, Row, TotalQuery } from "../../../ground/storage/collection.js";
import { RowsOver } from "../../../ground/storage/completed/rowsOver.js";
import type { Query } from "../../../ground/storage/query.js";
import type { Storage } from "../../../ground/storage/storage.js";
import type { Id } from "../../../ground/storage/values/scalar.js";

/** How rows are locked until the transaction ends. */
export type RowLock = NonNullable<Query["lock"]>;

/**
 * The same rows, each of which is locked when it is read, until the transaction ends. With one writer no other transaction could change them, so that nothing has to be locked.
 *
 * @throws {ConfigurationError} on a store that cannot lock rows
 */
export function lockedRows(rows: Required<Collection>, tx: Storage, idName: string, lock: RowLock): Required<Collection> {
  if (tx.queue !== undefined) return rows;
  if (rows.can.sharedLocks !== true) throw new ConfigurationError(`The storage "${tx.name}" cannot lock rows.`);
  return new LockedRows(rows, idName, lock);
}

class LockedRows extends RowsOver {
  readonly #idName: string;
  readonly #lock: RowLock;

  constructor(rows: Required<Collection>, idName: string, lock: RowLock) {
    super(rows);
    this.#idName = idName;
    this.#lock = lock;
  }

  override find(query: Query, call: Call): Promise<Row[]> {
    return this.rows.find({ ...query, lock: this.#lock }, untimed(call));
  }

  override async get(id: Id, call: Call): Promise<Row | undefined> {
    const [row] = await this.find({ filter: { op: "eq", path: [this.#idName], value: id }, sort: [], limit: 1 }, call);
    return row;
  }

  override async findAndCount(query: Query, _total: TotalQuery, call: Call): Promise<CountedRows> {
    return { rows: await this.find(query, call) };
  }
}

/** The time of reads does not apply: this one waits for other transactions. */
function untimed({ tenant, actor, deleted, signal }: Call): Call {
  return { tenant, actor, deleted, signal };
}
