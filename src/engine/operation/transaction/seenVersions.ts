import { Retryable } from "../../../ground/storage/errors.js";
import type { Storage } from "../../../ground/storage/storage.js";
import type { Id, Version } from "../../../ground/storage/values/scalar.js";
import { isolationOf, requireIsolation } from "./runTransaction.js";
import { transactionAround } from "./transactionsAround.js";

/** More rows are left to the database, which keeps a snapshot instead. */
const maxSeen = 100_000;

/**
 * The versions of the rows that code of the developer has read in a transaction. What it writes by values depends on them, so that the write is a compare-and-set on what was
 * read, although other transactions may write between the two. Needed only where they may: with one writer, or a stricter isolation, the store sees to it.
 */
class SeenVersions {
  readonly #outer: SeenVersions | undefined;
  /** By collection and tenant. `undefined` is a row that the transaction itself has written: no other one can change it any more. */
  readonly #versions = new Map<string, Map<Id, Version | undefined>>();
  /** Whether what was seen before does not count any more, of a collection or of all. */
  readonly #forgotten = new Set<string>();
  #forgotAll = false;
  #size = 0;

  constructor(outer: SeenVersions | undefined) {
    this.#outer = outer;
  }

  /** How many rows have been seen. */
  get size(): number {
    return this.#size + (this.#outer?.size ?? 0);
  }

  versionOf(rows: string, id: Id): Version | undefined {
    const own = this.#versions.get(rows);
    if (own?.has(id)) return own.get(id);
    return this.#forgotAll || this.#forgotten.has(rows) ? undefined : this.#outer?.versionOf(rows, id);
  }

  /** Notes the first version that was seen: if there is another one later, the row has been changed by another transaction. */
  see(rows: string, id: Id, version: Version): void {
    if (this.versionOf(rows, id) === undefined) this.#note(rows, id, version);
  }

  /** The transaction has written the row. */
  write(rows: string, id: Id): void {
    if (this.versionOf(rows, id) !== undefined) this.#note(rows, id, undefined);
  }

  /** The transaction may have written any row of these, or of all collections. */
  forget(rows?: string): void {
    if (rows === undefined) {
      this.#versions.clear();
      this.#forgotAll = true;
    } else {
      this.#versions.delete(rows);
      this.#forgotten.add(rows);
    }
  }

  /** Takes over what a nested transaction has seen and written, after its end. */
  adopt(inner: SeenVersions): void {
    if (inner.#forgotAll) this.forget();
    for (const rows of inner.#forgotten) this.forget(rows);
    for (const [rows, versions] of inner.#versions) for (const [id, version] of versions) this.#note(rows, id, version);
  }

  #note(rows: string, id: Id, version: Version | undefined): void {
    let own = this.#versions.get(rows);
    if (own === undefined) {
      own = new Map();
      this.#versions.set(rows, own);
    }
    if (!own.has(id)) this.#size += 1;
    own.set(id, version);
  }
}

const seen = new WeakMap<Storage, SeenVersions>();

/** What has been seen in the transaction, and in those around it; `undefined` if nothing was. */
function seenIn(tx: Storage): SeenVersions | undefined {
  const known = seen.get(tx);
  if (known !== undefined) return known;
  const outer = transactionAround(tx);
  const around = outer && seenIn(outer);
  return around && begin(tx, around);
}

function begin(tx: Storage, outer?: SeenVersions): SeenVersions {
  const begun = new SeenVersions(outer);
  seen.set(tx, begun);
  return begun;
}

/** The rows of one tenant in a collection. */
export interface TenantRows {
  readonly collection: string;
  readonly tenant: string | undefined;
}

const nameOf = ({ collection, tenant }: TenantRows) => `${collection}\0${tenant ?? ""}`;

/** Whether other transactions may write between what this one reads and what it writes. */
export function hasConcurrentWriters(tx: Storage): boolean {
  return isolationOf(tx) === "committed";
}

/** Notes a row that code of the developer has read in a transaction. @throws {Retryable} if there are too many: the transaction begins again with a snapshot */
export function noteSeen(tx: Storage, of: TenantRows, id: Id, version: Version): void {
  const versions = seenIn(tx) ?? begin(tx);
  versions.see(nameOf(of), id, version);
  if (versions.size > maxSeen) requireIsolation(tx, "snapshot");
}

/** Notes what a transaction has written. @param id `undefined` if it may be any row */
export function noteWritten(tx: Storage, of: TenantRows, id: Id | undefined): void {
  if (id === undefined) seenIn(tx)?.forget(nameOf(of));
  else seenIn(tx)?.write(nameOf(of), id);
}

/** Notes that a transaction may have written any row, by SQL of the developer. */
export function noteUnknownWrites(tx: Storage): void {
  seenIn(tx)?.forget();
}

/** What a nested transaction has noted counts for the one around it. */
export function adoptSeen(inner: Storage, tx: Storage): void {
  const noted = seen.get(inner);
  if (noted !== undefined && inner !== tx) (seenIn(tx) ?? begin(tx)).adopt(noted);
}

/** Requires that no other transaction has written a row since code of the developer read it in this one. @throws {Retryable} */
export function requireAsSeen(tx: Storage, of: TenantRows, id: Id, version: Version): void {
  const known = seenIn(tx)?.versionOf(nameOf(of), id);
  if (known !== undefined && known !== version) {
    throw new Retryable("Another transaction has written a row since this one read it. Run the same transaction again.", { isConflict: true });
  }
}
