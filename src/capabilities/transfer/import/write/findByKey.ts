import { type Context, readCall } from "../../../../engine/operation/context.js";
import { readableRows } from "../../../../engine/operation/rules/readableRows.js";
import type { Resource, ResourceField } from "../../../../engine/resource/resource.js";
import type { Row } from "../../../../ground/storage/collection.js";
import type { Filter } from "../../../../ground/storage/filter.js";
import { anyOf } from "../../../../ground/storage/filterParts.js";
import { fold } from "../../../../ground/storage/values/fold.js";
import type { Scalar } from "../../../../ground/storage/values/scalar.js";

/** The stored row that has a value of the key. */
export interface Target {
  /** The row as it will be after the rows before have been written; `undefined` if there is none. */
  row: Row | undefined;
  /** The row as the store has it, if it is there: only the store knows its version after a write. */
  stored: Row | undefined;
}

/** The stored rows, by values of the key. */
export interface Targets {
  /** Returns the same target for all spellings of a value that the key treats as equal. */
  of(value: unknown): Target;
}

/** So many values are searched per query if the key ignores case. */
const valuesPerFoldedQuery = 100;

/** What to search for. */
export interface KeySearch {
  readonly key: ResourceField;
  readonly values: readonly unknown[];
  /** Whether to search without regard to case for a value that has no exact match. The exact search is first, since every store has an index for it. */
  searchesFolded(value: unknown): boolean;
}

/** Finds rows by a unique key, or by the id. */
export async function findByKey(resource: Resource, context: Context, { key, values, searchesFolded }: KeySearch): Promise<Targets> {
  const isFolded = foldsCase(resource, key);
  const isId = key.name === resource.model.id;
  const nameOf = (value: unknown) => {
    if (value instanceof Date) return value.toISOString();
    return isId ? String(value) : (isFolded ? fold : normalized)(String(value));
  };
  const wanted = new Map(values.map((value) => [nameOf(value), value as Scalar]));
  const targets = new Map<string, Target>();
  const search = async (filters: readonly Filter[], limit: number) => {
    for (const filter of filters) {
      for (const row of await find(resource, context, filter, limit)) {
        const name = nameOf(row[key.name]);
        // A table of the developer may have several spellings.
        if (!targets.has(name) || row[key.name] === wanted.get(name)) targets.set(name, { row, stored: row });
      }
    }
  };
  const exact = [...wanted.values()].flatMap((value) => (isId ? value : spellingsOf(value)));
  if (exact.length > 0) await search([anyOf([key.name], exact)], exact.length);
  const missing = isFolded ? [...wanted].flatMap(([name, value]) => (targets.has(name) || !searchesFolded(value) ? [] : [value])) : [];
  await search(folded(key.name, missing), wanted.size);
  return {
    of(value) {
      const name = nameOf(value);
      const target = targets.get(name) ?? { row: undefined, stored: undefined };
      targets.set(name, target);
      return target;
    },
  };
}

/** Whether the key treats values that differ only in case as equal. */
export function foldsCase({ model }: Resource, { name }: ResourceField): boolean {
  return model.unique.some(({ fields, fold: isFolded }) => isFolded === true && fields.length === 1 && fields[0] === name);
}

function folded(name: string, values: readonly Scalar[]): readonly Filter[] {
  const filters: Filter[] = [];
  for (let start = 0; start < values.length; start += valuesPerFoldedQuery) {
    const args = values
      .slice(start, start + valuesPerFoldedQuery)
      .map((value): Filter => ({ op: "like", path: [name], parts: [String(value)], fold: true }));
    filters.push({ op: "or", args });
  }
  return filters;
}

async function find(resource: Resource, context: Context, filter: Filter, limit: number): Promise<readonly Row[]> {
  const rows = await readableRows(context, resource.name);
  // Without an order, which engines would prefer to the index of the key.
  return rows.find({ filter, sort: [], limit }, readCall(context));
}

function normalized(text: string): string {
  return text.normalize("NFC");
}

/** The forms of a text that unique keys treat as equal, as files are in one of them. */
function spellingsOf(value: Scalar): readonly Scalar[] {
  return typeof value === "string" ? [...new Set([value, normalized(value), value.normalize("NFD")])] : [value];
}
