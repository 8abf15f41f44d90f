import type { z } from "zod";
import { flag, oneOf, optionsCheck, strict, texts } from "../../../ground/options/index.js";
import type { FieldName } from "../options.js";

/** Points from a foreign key of this collection to one row of another. */
export interface BelongsTo<F extends string = string, C extends string = string> {
  /** Set by `belongsTo`. */
  readonly kind: "belongsTo";
  /** Name of the other collection. */
  readonly collection: C;
  /** Field of this collection that contains the other's id, or, for a composite id, the fields with its parts in their order. */
  readonly foreignKey: F | readonly [F, F, ...F[]];
  /** Fields of the other collection that a list may be filtered by, as `customer.name` (default: none). */
  readonly filter?: readonly string[] | undefined;
  /**
   * Whether the foreign key must name a row that exists: a write that names none is 422 UNKNOWN_REFERENCE. Default: `true` if the storage can check it within the
   * transaction of the write, otherwise `false`; `true` on a storage that cannot fails at start-up.
   */
  readonly enforce?: boolean | undefined;
  /**
   * What a delete of the row that the key names does (default `restrict`: it is 409 ROW_IN_USE). `cascade` deletes this row too, with its events; `setNull` makes
   * the key null, which must be nullable. Needs a relation that is enforced.
   */
  readonly onDelete?: "restrict" | "cascade" | "setNull" | undefined;
}

/** Points to the rows of another collection whose foreign key contains this one's id. */
export interface HasMany<C extends string = string> {
  /** Set by `hasMany`. */
  readonly kind: "hasMany";
  /** Name of the other collection. */
  readonly collection: C;
  /** Field of the other collection that contains this one's id. */
  readonly foreignKey: string;
}

export type Relation<F extends string = string> = BelongsTo<F> | HasMany;

/** Relations by their names. */
export type RelationsOf<S extends z.ZodObject> = Readonly<Record<string, Relation<FieldName<S>>>>;

/** Options of a relation to another collection. */
type BelongsToOptions = Pick<BelongsTo, "filter" | "enforce" | "onDelete">;

const checkBelongsTo = /* @__PURE__ */ optionsCheck("belongsTo", () => strict<BelongsToOptions>(belongsToRules()));

/** What each option of {@link belongsTo} may be. */
export const belongsToRules = () => ({ filter: texts(), enforce: flag(), onDelete: oneOf("restrict", "cascade", "setNull") });

/**
 * A relation to the row whose id is in `foreignKey`: a field, or the fields with the parts of a composite id.
 *
 * @param options `filter` names fields of the other collection that lists of this one may be filtered by; `enforce: false` lets the key name a row that does
 *   not exist; `onDelete` says what a delete of the row that it names does.
 * @example
 * relations: { customer: belongsTo("users", "customerId"), line: belongsTo("lines", ["orderId", "line"]) }
 */
export function belongsTo<const C extends string, const F extends string>(
  collection: C,
  foreignKey: F | readonly [F, F, ...F[]],
  options: BelongsToOptions = {},
): BelongsTo<F, C> {
  checkBelongsTo(options);
  return { kind: "belongsTo", collection, foreignKey, ...options };
}

/**
 * A relation to the rows of another collection that have this one's id in their field `foreignKey`. It also serves the path `/users/{userId}/orders`.
 *
 * @example
 * relations: { orders: hasMany("orders", "customerId") }
 */
export function hasMany<const C extends string>(collection: C, foreignKey: string): HasMany<C> {
  return { kind: "hasMany", collection, foreignKey };
}
