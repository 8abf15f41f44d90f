import { z } from "zod";
import type { Members, VersionChange } from "../../engine/resource/versionChange.js";
import { callable, named, optionsCheck, passing, strict, text } from "../../ground/options/index.js";
import { ConfigurationError } from "../../ground/problem/index.js";
import type { Filter } from "../../ground/storage/filter.js";

/** A value as JSON: dates and bigints are text. */
export type Json<T> = T extends Date | bigint
  ? string
  : T extends readonly (infer Element)[]
    ? readonly Json<Element>[]
    : T extends object
      ? { readonly [K in keyof T]: Json<T[K]> }
      : T;

/** Fields of one version, and the members of another version in their place. */
export interface ChangeOptions<F extends z.ZodObject, M extends z.ZodObject> {
  /** The replaced fields with their types, as `users.schema.pick({ name: true })`; an empty object for members that the neighbour does not have. */
  readonly replaces: F;
  /** The members in their place; an empty object for fields that this version does not have. */
  readonly by: M;
  /** The members, from the fields of a row as JSON. Must not throw: every stored row is read by it. */
  read(fields: Json<z.output<F>>): Json<z.input<M>>;
  /**
   * The fields, from the members as JSON. The result is validated by the schema. A field that it leaves out keeps its value, or gets its default in a new row.
   *
   * @param before the fields of the row that is changed; `undefined` for a new row
   */
  write(members: Json<z.output<M>>, before: Json<z.output<F>> | undefined): Partial<Json<z.input<F>>>;
  /** Filters that mean "the member has this value", by its path such as `name.givenName`: lists can then be filtered by it with `eq`, `ne`, `in` and `nin`. */
  readonly equals?: Readonly<Record<string, (value: string) => Filter>> | undefined;
}

const isObjectSchema = (value: unknown) => (value as Partial<z.ZodType> | null | undefined)?._zod?.def.type === "object";
const objectSchema = () => passing("a z.object schema", isObjectSchema);

const checkChange = /* @__PURE__ */ optionsCheck("change", () =>
  strict<ChangeOptions<z.ZodObject, z.ZodObject>>(
    { replaces: objectSchema(), by: objectSchema(), read: callable(), write: callable(), equals: named(callable()) },
    ["replaces", "by", "read", "write"],
  ),
);

/**
 * A change of the representation: splits, merges, removes or adds members, or changes their types. A row that `read` shows and a client sends back unchanged keeps its fields, even
 * if `write` would make others.
 *
 * @throws {ConfigurationError} for an unknown option, an invalid value, and a change of nothing
 * @example
 * const wholeTotal = change({
 *   replaces: z.object({ total: z.number() }),
 *   by: z.object({ totalCents: z.int() }),
 *   read: ({ total }) => ({ totalCents: Math.round(total * 100) }),
 *   write: ({ totalCents }) => ({ total: totalCents / 100 }),
 * });
 */
export function change<F extends z.ZodObject, M extends z.ZodObject>(options: ChangeOptions<F, M>): VersionChange {
  checkChange(options);
  const { replaces, by, read, write, equals } = options;
  const names = Object.keys(replaces.shape);
  if (names.length === 0 && Object.keys(by.shape).length === 0) throw new ConfigurationError(`change: "replaces" and "by" are both empty.`);
  return {
    replaces: names,
    members: by,
    read: (fields) => read(fields as Json<z.output<F>>) as Members,
    write: (members, before) => write(members as Json<z.output<M>>, before as Json<z.output<F>> | undefined) as Members,
    equals,
  };
}

/** A field that has another name in a version. */
export interface RenameOptions {
  /** The name in the neighbouring version. */
  readonly from: string;
  /** The name in this version. */
  readonly to: string;
  /** The type of the field, as in the schema. */
  readonly type: z.ZodType;
}

const checkRename = /* @__PURE__ */ optionsCheck("rename", () =>
  strict<RenameOptions>(
    { from: text("the name of a field"), to: text("the name of a member"), type: passing("a zod type", (value) => hasType(value)) },
    ["from", "to", "type"],
  ),
);

const hasType = (value: unknown) => (value as Partial<z.ZodType> | null | undefined)?._zod !== undefined;

/**
 * Renames a field in a version. Lists can be filtered and sorted by the new name wherever they could by the old one.
 *
 * @throws {ConfigurationError} for an unknown option or an invalid value
 * @example
 * const renamed = rename({ from: "note", to: "comment", type: orders.schema.shape.note });
 */
export function rename(options: RenameOptions): VersionChange {
  checkRename(options);
  const { from, to, type } = options;
  return {
    replaces: [from],
    members: z.object({ [to]: type }),
    read: (fields) => (Object.hasOwn(fields, from) ? { [to]: fields[from] } : {}),
    write: (members) => ({ [from]: members[to] }),
    same: { [to]: from },
  };
}
