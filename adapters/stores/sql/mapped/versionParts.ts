import { hash } from "node:crypto";
import type { Version } from "../../../../src/ground/storage/values/scalar.js";

/** A value of a row that its version is made from. */
export interface VersionPart {
  /** The place of its column in the table, from 1: the same in every process, as new columns come last. */
  readonly position: number;
  /** The expression of the value. */
  readonly expression: string;
}

/** Ends the hash in a version, and begins the name of the columns that it was made from. */
const separator = "~";

/** The columns of a table have 1,600 places at most, which are 267 letters. */
const form = /^[\w-]{22}~([\w-]{1,267})$/;

/** The parts in the order of the table: the fields of two releases may have other orders. */
export function inTableOrder<Part extends VersionPart>(parts: readonly Part[]): readonly Part[] {
  return [...parts].sort((one, other) => one.position - other.position);
}

/** What ends a version that is made from these parts: the places of their columns, as bits. */
export function nameOfParts(parts: readonly VersionPart[]): string {
  const bytes = Buffer.alloc(Math.ceil(Math.max(0, ...parts.map(({ position }) => position)) / 8));
  for (const { position } of parts) bytes[(position - 1) >> 3] = (bytes[(position - 1) >> 3] ?? 0) | (1 << ((position - 1) & 7));
  return `${separator}${bytes.toString("base64url")}`;
}

/** Belongs to the hash: a place may have had another column, or its field another type, when a version was made. */
export function sealOfParts(parts: readonly VersionPart[]): string {
  return hash("sha256", parts.map(({ expression }) => expression).join("\n"), "base64url").slice(0, 8);
}

/**
 * The parts that a version was made from, if they are others than these but among them: another release of the program has made it, which has fewer fields.
 */
export function otherPartsOf<Part extends VersionPart>(version: Version, parts: readonly Part[]): readonly Part[] | undefined {
  const [, name] = form.exec(version) ?? [];
  if (name === undefined || version.endsWith(nameOfParts(parts))) return undefined;
  const bytes = Buffer.from(name, "base64url");
  const others = parts.filter(({ position }) => ((bytes[(position - 1) >> 3] ?? 0) >> ((position - 1) & 7)) & 1);
  // The name has no other columns, and is spelled as it was given.
  return nameOfParts(others) === `${separator}${name}` ? others : undefined;
}
