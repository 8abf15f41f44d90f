import type { Call, Row } from "../../../ground/storage/collection.js";
import type { Id } from "../../../ground/storage/values/scalar.js";
import { type Dependent, type Dependents, dependentsIn, findDependents, type RemovalParts } from "./dependents.js";
import type { Reference } from "./references.js";

/** Finds the dependents of several rows that are removed one after the other: one query per relation reads those of all. */
class UpcomingDependents implements Dependents {
  readonly #parts: RemovalParts;
  readonly #single: Dependents;
  readonly #upcoming: ReadonlySet<string>;
  readonly #ids: readonly Id[];
  /** Grouped by the id that they reference; `undefined` if there are too many to read at once. */
  readonly #read = new Map<Reference, ReadonlyMap<string, readonly Id[]> | undefined>();
  readonly #named = new Map<Reference, ReadonlySet<string>>();

  /** @param upcoming ids of the rows that will be removed */
  constructor(parts: RemovalParts, upcoming: readonly Id[]) {
    this.#parts = parts;
    this.#single = dependentsIn(parts);
    this.#ids = upcoming;
    this.#upcoming = new Set(upcoming.map(String));
  }

  async of(reference: Reference, ids: readonly Id[], limit: number, call: Call): Promise<readonly Dependent[]> {
    const known = this.#covers(ids) ? await this.#readAll(reference, call) : undefined;
    if (known === undefined) return this.#single.of(reference, ids, limit, call);
    return ids.flatMap((id) => known.get(String(id)) ?? []).map((id) => ({ reference, id }));
  }

  async areNamed(
    reference: Reference,
    ids: readonly Id[],
    but: { readonly besides: readonly Id[]; readonly hasChanged: boolean },
    call: Call,
  ): Promise<boolean> {
    if (this.#covers(ids) && reference.fields.length === 1) {
      const named = await this.#namedOf(reference, call);
      if (!ids.some((id) => named.has(String(id)))) return false;
      if (but.besides.length === 0 && !but.hasChanged && reference.holder !== reference.target) return true;
    }
    return this.#single.areNamed(reference, ids, but, call);
  }

  #covers(ids: readonly Id[]): boolean {
    return this.#ids.length > 1 && ids.length === 1 && ids.every((id) => this.#upcoming.has(String(id)));
  }

  async #readAll(reference: Reference, call: Call): Promise<ReadonlyMap<string, readonly Id[]> | undefined> {
    if (!this.#read.has(reference)) {
      const { maxRows } = this.#parts;
      const rows = await findDependents(this.#parts, reference, this.#ids, maxRows + 1, call);
      this.#read.set(reference, rows.length > maxRows ? undefined : dependentsByTarget(reference, rows));
    }
    return this.#read.get(reference);
  }

  async #namedOf(reference: Reference, call: Call): Promise<ReadonlySet<string>> {
    const known = this.#named.get(reference);
    if (known !== undefined) return known;
    const { holder, fields } = reference;
    const [field = ""] = fields;
    const rows = await this.#parts.rowsOf(holder).findGroups({ key: field, keys: [...new Set(this.#ids)], fields: [[holder.id]], limit: 1 }, call);
    const named = new Set(rows.map((row) => String(row[field])));
    this.#named.set(reference, named);
    return named;
  }
}

/** Ids of rows by the id that they reference. */
function dependentsByTarget({ holder, idIn }: Reference, rows: readonly Row[]): ReadonlyMap<string, readonly Id[]> {
  const groups = new Map<string, Id[]>();
  for (const row of rows) {
    const key = String(idIn(row));
    groups.set(key, [...(groups.get(key) ?? []), row[holder.id] as Id]);
  }
  return groups;
}

/** Finds the dependents of rows that are removed one after the other. */
export function upcomingDependents(parts: RemovalParts, upcoming: readonly Id[]): Dependents {
  return new UpcomingDependents(parts, upcoming);
}
