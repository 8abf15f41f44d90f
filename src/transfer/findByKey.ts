import { type Context, readCall } from "../operation/context.js";
import type { Resource, ResourceField } from "../resource/resource.js";
import type { Row } from "../storage/collection.js";
import type { Filter } from "../storage/filter.js";
import { fold } from "../storage/fold.js";
import type { Id, Scalar } from "../storage/scalar.js";

/** The row that a value of the key means. */
export interface Target {
  /** As it will be when the rows before have been written; `undefined` where there is none. */
  row: Row | undefined;
  /** Known once it is in the store. */
  id: Id | undefined;
}

/** The rows that values of a key mean. */
export interface Targets {
  /** The same for every spelling of a value that the key does not tell apart. */
  of(value: unknown): Target;
}

/** So many texts are asked for at a time where the key does not tell their case. */
const foldedAtOnce = 100;

/** How rows are looked for. */
export interface KeySearch {
  readonly key: ResourceField;
  readonly values: readonly unknown[];
  /** Whether a value that is not there as it stands may be there in other letters. All are looked for as they are first, which every store does by an index. */
  mayBeRespelled(value: unknown): boolean;
}

/** Finds rows by a unique key, or by the id. */
export async function findByKey(resource: Resource, context: Context, { key, values, mayBeRespelled }: KeySearch): Promise<Targets> {
  const isFolded = foldsCase(resource, key);
  const nameOf = (value: unknown) => keyName(value, isFolded);
  const wanted = new Map(values.map((value) => [nameOf(value), value as Scalar]));
  const targets = new Map<string, Target>();
  const look = async (filters: readonly Filter[]) => {
    for (const filter of filters) {
      for (const row of await find(resource, context, filter, wanted.size)) {
        targets.set(nameOf(row[key.name]), { row, id: row[resource.id.name] as Id });
      }
    }
  };
  await look(exactly(key.name, [...wanted.values()]));
  const missing = isFolded ? [...wanted].flatMap(([name, value]) => (targets.has(name) || !mayBeRespelled(value) ? [] : [value])) : [];
  await look(folded(key.name, missing));
  return {
    of(value) {
      const name = nameOf(value);
      const target = targets.get(name) ?? { row: undefined, id: undefined };
      targets.set(name, target);
      return target;
    },
  };
}

/** Whether two values of the key that differ in case alone are one. */
export function foldsCase({ model }: Resource, { name }: ResourceField): boolean {
  return model.unique.some(({ fields, fold: isFolded }) => isFolded === true && fields.length === 1 && fields[0] === name);
}

function exactly(name: string, values: readonly Scalar[]): readonly Filter[] {
  return values.length === 0 ? [] : [{ op: "in", path: [name], values }];
}

function folded(name: string, values: readonly Scalar[]): readonly Filter[] {
  const filters: Filter[] = [];
  for (let start = 0; start < values.length; start += foldedAtOnce) {
    const args = values.slice(start, start + foldedAtOnce).map((value): Filter => ({ op: "like", path: [name], parts: [String(value)], fold: true }));
    filters.push({ op: "or", args });
  }
  return filters;
}

function find(resource: Resource, context: Context, filter: Filter, limit: number): Promise<readonly Row[]> {
  const sort = [{ path: [resource.id.name] as const, dir: "asc" as const }];
  return context.environment.collection(resource.name).find({ filter, sort, limit }, readCall(context));
}

/** As the store compares it. */
function keyName(value: unknown, isFolded: boolean): string {
  if (value instanceof Date) return value.toISOString();
  const text = String(value);
  return isFolded ? fold(text) : text.normalize("NFC");
}
