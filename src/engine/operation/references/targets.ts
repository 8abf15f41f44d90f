import type { Call } from "../../../ground/storage/collection.js";
import { idsQuery } from "../../../ground/storage/filterParts.js";
import type { MissingReference } from "../../../ground/storage/outcome.js";
import type { Storage } from "../../../ground/storage/storage.js";
import type { RowValues } from "../../../ground/storage/values/rowValues.js";
import type { Id } from "../../../ground/storage/values/scalar.js";
import type { Scopes } from "../rules/scopes.js";
import type { Reference } from "./references.js";

/** Looks up the rows that foreign keys reference, and caches the results for one write. */
export class Targets {
  readonly references: readonly Reference[];
  readonly #storage: Storage;
  readonly #lock: "share" | undefined;
  readonly #scopes: Scopes | undefined;
  /** Whether the row exists, by its id. */
  readonly #known = new Map<Reference, Map<string, boolean>>();
  #expected: readonly RowValues[];

  /**
   * @param options.lock prevents the found rows from being deleted; without it the answer may be out of date at once
   * @param options.scopes rows that the principal may not read are missing
   */
  constructor(
    references: readonly Reference[],
    storage: Storage,
    expected: readonly RowValues[],
    { lock, scopes }: { readonly lock?: "share" | undefined; readonly scopes?: Scopes | undefined } = {},
  ) {
    this.references = references;
    this.#storage = storage;
    this.#expected = expected;
    this.#lock = lock;
    this.#scopes = scopes;
  }

  /** Announces rows that will be checked: the next look-up includes them. */
  expect(rows: readonly RowValues[]): void {
    this.#expected = [...this.#expected, ...rows];
  }

  /**
   * Returns the rows that reference missing rows; a row may reference itself.
   *
   * @param beforeOf the row as it was, if it was: an unchanged key may reference a row that was deleted before the key was enforced
   */
  async missing<V extends RowValues>(
    rows: readonly V[],
    call: Call,
    beforeOf?: (row: V) => RowValues | undefined,
  ): Promise<ReadonlyMap<V, readonly MissingReference[]>> {
    const expected = this.#expected;
    this.#expected = [];
    const missing = new Map<V, MissingReference[]>();
    for (const reference of this.references) {
      const { fields, target, idIn } = reference;
      const known = this.#known.get(reference) ?? new Map<string, boolean>();
      this.#known.set(reference, known);
      const changed = rows.filter((row) => {
        const before = beforeOf?.(row);
        return before === undefined || idIn(row) !== idIn(before);
      });
      await this.#lookUp(reference, [...expected, ...changed], known, call);
      for (const row of changed) {
        const id = idIn(row);
        if (id === undefined || known.get(String(id)) === true || namesItself(row, reference)) continue;
        const own = missing.get(row) ?? [];
        own.push({ field: fields[0] as string, collection: target.name, id });
        missing.set(row, own);
      }
    }
    return missing;
  }

  /** Records an inserted row, so that the next row may reference it. */
  add(row: RowValues): void {
    for (const [{ holder, target }, known] of this.#known) {
      const id = row[target.id];
      if (holder === target && id !== undefined) known.set(String(id), true);
    }
  }

  async #lookUp({ idIn, holder, target }: Reference, rows: readonly RowValues[], known: Map<string, boolean>, call: Call): Promise<void> {
    const ids = new Map<string, Id>();
    for (const row of rows) {
      const id = idIn(row);
      // A row of the same collection may have been inserted in the meantime.
      const isKnown = holder === target ? known.get(String(id)) : known.has(String(id));
      if (id !== undefined && !isKnown) ids.set(String(id), id);
    }
    if (ids.size === 0) return;
    const scope = this.#scopes?.answer(target.name, "read", "before").filter;
    const query = idsQuery(target.id, [...ids.values()], scope, this.#lock);
    const found = await this.#storage.collection(target).find(query, call);
    for (const id of ids.keys()) known.set(id, false);
    for (const row of found) known.set(String(row[target.id]), true);
  }
}

/** Whether the foreign key of a row names the row itself. */
export function namesItself(row: RowValues, { holder, target, idIn }: Reference): boolean {
  return holder === target && String(idIn(row)) === String(row[target.id]);
}
