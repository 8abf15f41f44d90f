import type { CollectionModel } from "../../../../src/ground/storage/model.js";
import { fold } from "../../../../src/ground/storage/values/fold.js";
import type { Path } from "../../../../src/ground/storage/values/scalar.js";
import { fittingName, placeName } from "./identifier.js";
import { storedPath } from "./storedPath.js";
import { readPath, type Values } from "./values.js";

/** A column that the store derives from a path, because engines fold and normalise text in different ways. */
export interface Shadow {
  readonly name: string;
  readonly path: Path;
  /** Null if the value at the path is not text. */
  derive(row: Values): string | null;
  /** The same, from the value of the column that the path begins with. */
  deriveFrom(value: unknown): string | null;
}

/** The shadow columns of a model: for folded and searchable paths, and for the texts of unique keys. */
export function shadowsOf(model: CollectionModel): Shadow[] {
  const kinds = new Map(model.columns.map(({ name, kind }) => [name, kind]));
  const isText = (name: string) => kinds.get(name) === "text";
  const mayHoldText = ([name, ...keys]: Path) => kinds.get(name) === "json" || (isText(name) && keys.length === 0);
  const folded: Path[] = [
    ...model.columns.filter((column) => column.fold === true).map(({ name }): Path => [name]),
    ...(model.folded ?? []),
    ...model.searchable,
    ...keyFields(model, true)
      .filter(isText)
      .map((name): Path => [name]),
  ];
  const normal = keyFields(model, false)
    .filter(isText)
    .map((name): Path => [name]);
  const shadows = [
    ...folded.filter(mayHoldText).map((path) => shadowAt(model, path, foldName, fold)),
    ...normal.map((path) => shadowAt(model, path, normalName, (text) => text.normalize("NFC"))),
  ];
  return [...new Map(shadows.map((shadow) => [shadow.name, shadow])).values()];
}

function keyFields(model: CollectionModel, folded: boolean): string[] {
  return model.unique.filter((key) => (key.fold ?? false) === folded).flatMap(({ fields }) => fields);
}

/**
 * Name of the shadow column with the folded text of a path.
 *
 * @param path as `storedPath` makes it
 */
export function foldName(path: Path): string {
  return fittingName(`${placeName(path)}__fold`);
}

/**
 * Name of the shadow column with the NFC-normalised text of a path.
 *
 * @param path as `storedPath` makes it
 */
export function normalName(path: Path): string {
  return fittingName(`${placeName(path)}__nfc`);
}

function shadowAt(model: CollectionModel, path: Path, nameOf: (path: Path) => string, change: (text: string) => string): Shadow {
  const derived = (value: unknown) => (typeof value === "string" ? change(value) : null);
  const [, ...keys] = path;
  return {
    name: nameOf(storedPath(model, path)),
    path,
    derive: (row) => derived(readPath(row, path)),
    deriveFrom: keys.length === 0 ? derived : (value) => derived(readPath(value as Values, keys)),
  };
}
