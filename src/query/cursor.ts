import { createHash } from "node:crypto";
import type { Filter } from "../storage/filter.js";
import type { Scalar } from "../storage/scalar.js";
import { canonicalText } from "./canonical.js";
import { keysetFilter } from "./keyset.js";
import type { OrderKey } from "./sort.js";
import type { FilterTree } from "./tree.js";

/** Signs what a client only carries about, and tells what was signed from everything else. */
export interface Signer {
  sign(text: string): string;
  verify(text: string, code: string): boolean;
}

/** What makes a list the list that it is: a cursor is of use there and nowhere else. */
export interface ListIdentity {
  readonly collection: string;
  readonly tenant: string | undefined;
  readonly filter: FilterTree | undefined;
  readonly sort: readonly OrderKey[];
}

/** A place between two rows of an ordered list, and the way to go from there. */
export interface Cursor {
  readonly direction: "after" | "before";
  /** The sort keys' values of the row beside the place. */
  readonly values: readonly Scalar[];
}

/** Cursors of one list. */
export interface CursorCodec {
  /** `base64url(JSON).code`: signed, not secret, since it holds the values of sort keys. */
  write(cursor: Cursor): string;
  /** `undefined` for a text that was tampered with, or made for another list. A cursor carries no authority: rights are judged anew. */
  read(text: string): Cursor | undefined;
}

/** What a cursor says: version, direction, sort, values and the hash of the list that it belongs to. */
type Written = readonly [1, Cursor["direction"], sort: string, values: readonly unknown[], hash: string];

/** Writes and reads the cursors of a list. Whoever changes the filter or the sort has another list; `perPage` may change. */
export function cursorCodec(list: ListIdentity, signer: Signer): CursorCodec {
  const sort = list.sort.map(({ field, dir }) => (dir === "desc" ? `-${field.key}` : field.key)).join(",");
  let known: string | undefined;
  const hash = () => (known ??= hashOf(list));
  return {
    write({ direction, values }) {
      const written: Written = [1, direction, sort, values.map(encode), hash()];
      const text = Buffer.from(JSON.stringify(written)).toString("base64url");
      return `${text}.${signer.sign(text)}`;
    },
    read(cursor) {
      const dot = cursor.indexOf(".");
      const text = cursor.slice(0, dot);
      if (dot <= 0 || !signer.verify(text, cursor.slice(dot + 1))) return undefined;
      const written: unknown = JSON.parse(Buffer.from(text, "base64url").toString());
      if (!isWritten(written) || written[2] !== sort || written[4] !== hash()) return undefined;
      return { direction: written[1], values: written[3].map(decode) };
    },
  };
}

/** What is signed is ours, but it may be of another version. */
function isWritten(value: unknown): value is Written {
  return Array.isArray(value) && value[0] === 1;
}

/** The condition "lies on that side of the place", in the order of the list. */
export function cursorFilter({ direction, values }: Cursor, sort: readonly OrderKey[]): Filter {
  return keysetFilter(
    sort.map(({ path, dir, field }, index) => ({
      path,
      dir: direction === "after" ? dir : reverse(dir),
      value: values[index] ?? null,
      nullable: field.nullable,
    })),
  );
}

/** The order in which rows are met when the list is walked backwards. */
export function reverse(dir: "asc" | "desc"): "asc" | "desc" {
  return dir === "asc" ? "desc" : "asc";
}

function hashOf({ collection, tenant, filter }: ListIdentity): string {
  const text = JSON.stringify([collection, tenant ?? null, filter === undefined ? null : canonicalText(filter)]);
  return createHash("sha256").update(text).digest("base64url").slice(0, 16);
}

/** JSON has no dates and no bigints. */
function encode(value: Scalar): unknown {
  if (value instanceof Date) return { date: value.getTime() };
  return typeof value === "bigint" ? { bigint: value.toString() } : value;
}

function decode(value: unknown): Scalar {
  if (typeof value !== "object" || value === null) return value as Scalar;
  return "date" in value ? new Date(Number(value.date)) : BigInt((value as { readonly bigint: string }).bigint);
}
