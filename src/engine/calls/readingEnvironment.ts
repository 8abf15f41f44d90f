import { ConfigurationError } from "../../ground/problem/index.js";
import type { Call, Collection, CountedRows, GroupQuery, Row, TotalQuery } from "../../ground/storage/collection.js";
import { RowsOver } from "../../ground/storage/completed/rowsOver.js";
import type { Query } from "../../ground/storage/query.js";
import type { Storage } from "../../ground/storage/storage.js";
import type { Id } from "../../ground/storage/values/scalar.js";
import type { Environment } from "../operation/environment.js";
import { lockedRows, type RowLock } from "../operation/transaction/lockedRows.js";
import { attemptOf } from "../operation/transaction/runTransaction.js";
import { hasConcurrentWriters, noteSeen } from "../operation/transaction/seenVersions.js";
import type { Caller, CallParts } from "./caller.js";

/**
 * The environment of a call that reads. Within a transaction that others may write beside, it notes which rows were seen, so that a write by their values is refused if another transaction
 * has come between, and the transaction runs again. There it locks the row that `get` reads: two that met once would meet again.
 *
 * @throws {ConfigurationError} for a lock outside of transactions, or on a store that has none
 */
export function readingEnvironment(
  { environment, isInTransaction }: Pick<Caller, "environment" | "isInTransaction">,
  { action, collection, lock }: Pick<CallParts, "action" | "collection" | "lock">,
): Environment {
  if (!isInTransaction) {
    if (lock !== undefined)
      throw new ConfigurationError(`"lock" holds until the end of a transaction, so that it needs one: call service.transaction.`);
    return environment;
  }
  const tx = environment.storage;
  const notes = hasConcurrentWriters(tx);
  const chosen = lock ?? (notes && action === "read" && attemptOf(tx) > 1 ? "update" : undefined);
  if (!notes && chosen === undefined) return environment;
  const over = (name: string, rows: Required<Collection>): Required<Collection> => {
    const idName = environment.models.get(name)?.id ?? "id";
    const isLocked = chosen !== undefined && name === collection && (lock !== undefined || rows.can.sharedLocks === true);
    const read = isLocked ? lockedRows(rows, tx, idName, chosen as RowLock) : rows;
    return notes ? new SeenRows(read, { tx, collection: name, idName }) : read;
  };
  return {
    ...environment,
    collection: (name) => over(name, environment.collection(name)),
    schemaRows: (name) => over(name, environment.schemaRows(name)),
  };
}

interface Seeing {
  readonly tx: Storage;
  readonly collection: string;
  readonly idName: string;
}

/** Notes the rows that are read. */
class SeenRows extends RowsOver {
  readonly #seeing: Seeing;

  constructor(rows: Required<Collection>, seeing: Seeing) {
    super(rows);
    this.#seeing = seeing;
  }

  override async find(query: Query, call: Call): Promise<Row[]> {
    return this.#note(await this.rows.find({ ...query, versions: true }, call), call);
  }

  override async get(id: Id, call: Call): Promise<Row | undefined> {
    const row = await this.rows.get(id, call);
    if (row !== undefined) this.#note([row], call);
    return row;
  }

  override async findAndCount(query: Query, total: TotalQuery, call: Call): Promise<CountedRows> {
    const counted = await this.rows.findAndCount({ ...query, versions: true }, total, call);
    this.#note(counted.rows, call);
    return counted;
  }

  override async getMany(ids: readonly Id[], call: Call): Promise<Row[]> {
    return this.#note(await this.rows.getMany(ids, call), call);
  }

  override async findGroups(query: GroupQuery, call: Call): Promise<Row[]> {
    return this.#note(await this.rows.findGroups(query, call), call);
  }

  #note(rows: Row[], { tenant }: Call): Row[] {
    const { tx, collection, idName } = this.#seeing;
    for (const row of rows) {
      const id = row[idName] as Id | undefined;
      if (id !== undefined && row._version !== undefined) noteSeen(tx, { collection, tenant }, id, row._version);
    }
    return rows;
  }
}
