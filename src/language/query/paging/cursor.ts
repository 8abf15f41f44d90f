import type { Filter } from "../../../ground/storage/filter.js";
import { ExactDate } from "../../../ground/storage/values/exactDate.js";
import type { Scalar } from "../../../ground/storage/values/scalar.js";
import { orderOf } from "../conditions/condition.js";
import type { FilterTree } from "../grammar/tree.js";
import { canonicalText } from "../values/canonical.js";
import { keysetFilter } from "./keyset.js";
import type { OrderKey } from "./sort.js";

/** Signs texts that a client carries and returns, and verifies them. */
export interface Signer {
  sign(text: string): string;
  verify(text: string, code: string): boolean;
}

/** What identifies a list: a cursor is valid for this list only. */
export interface ListIdentity {
  readonly collection: string;
  readonly tenant: string | undefined;
  readonly filter: FilterTree | undefined;
  readonly sort: readonly OrderKey[];
  readonly deleted?: string | undefined;
}

/** A position between two rows of an ordered list, and the direction to read from there. */
export interface Cursor {
  readonly direction: "after" | "before";
  /** The sort keys' values of the row next to the position. */
  readonly values: readonly Scalar[];
}

/** Cursors of one list. */
export interface CursorCodec {
  /** `base64url(JSON).code`: signed but not secret: it contains the values of sort keys. */
  write(cursor: Cursor): string;
  /** `undefined` for a text that was changed, or made for another list. A cursor carries no authority: permissions are evaluated again. */
  read(text: string): Cursor | undefined;
}

/** The contents of a cursor: its format, the direction and the values. */
type Written = readonly [2, Cursor["direction"], values: readonly unknown[]];

/** Writes and reads the cursors of a list. A different filter or sort is a different list; `perPage` may change. */
export function cursorCodec(list: ListIdentity, signer: Signer): CursorCodec {
  let known: string | undefined;
  // The signature covers the list too, so that the cursor need not contain it.
  const signed = (text: string) => {
    known ??= listText(list);
    return `${text}.${known}`;
  };
  return {
    write({ direction, values }) {
      const written: Written = [2, direction, values.map(encode)];
      const text = toBase64Url(JSON.stringify(written));
      return `${text}.${signer.sign(signed(text))}`;
    },
    read(cursor) {
      const dot = cursor.indexOf(".");
      const text = cursor.slice(0, dot);
      if (dot <= 0 || !signer.verify(signed(text), cursor.slice(dot + 1))) return undefined;
      const written: unknown = JSON.parse(fromBase64Url(text));
      return isWritten(written) ? { direction: written[1], values: written[2].map(decode) } : undefined;
    },
  };
}

/** The signed text is our own, but may come from another version. */
function isWritten(value: unknown): value is Written {
  return Array.isArray(value) && value[0] === 2;
}

/** The condition "is on that side of the position", in the order of the list. */
export function cursorFilter({ direction, values }: Cursor, sort: readonly OrderKey[]): Filter {
  return keysetFilter(
    sort.map(({ path, dir, field }, index) => ({
      path,
      dir: direction === "after" ? dir : reverse(dir),
      value: values[index] ?? null,
      nullable: field.nullable,
      order: orderOf(field),
    })),
  );
}

/** The sort order for reading the list backwards. */
export function reverse(dir: "asc" | "desc"): "asc" | "desc" {
  return dir === "asc" ? "desc" : "asc";
}

export function listText({ collection, tenant, filter, sort, deleted }: ListIdentity): string {
  const keys = sort.map(({ field, dir }) => [field.key, dir]);
  return JSON.stringify([collection, tenant ?? null, keys, filter === undefined ? null : canonicalText(filter), ...(deleted ? [deleted] : [])]);
}

/** Without `Buffer`, which browsers do not have. The text is escaped to ASCII first, because `btoa` accepts nothing else. */
function toBase64Url(json: string): string {
  const ascii = json.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
  return btoa(ascii).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

function fromBase64Url(text: string): string {
  return atob(text.replaceAll("-", "+").replaceAll("_", "/"));
}

/** JSON has no dates and no bigints. */
function encode(value: Scalar): unknown {
  if (value instanceof ExactDate) return { date: value.getTime(), micros: value.micros };
  if (value instanceof Date) return { date: value.getTime() };
  return typeof value === "bigint" ? { bigint: value.toString() } : value;
}

function decode(value: unknown): Scalar {
  if (typeof value !== "object" || value === null) return value as Scalar;
  // A position is an instant, and not its whole millisecond.
  if ("date" in value) return new ExactDate(Number(value.date), "micros" in value ? Number(value.micros) : 0);
  return BigInt((value as { readonly bigint: string }).bigint);
}
