import { fold } from "../../src/storage/fold.js";
import type { CollectionModel } from "../../src/storage/model.js";
import type { Path } from "../../src/storage/scalar.js";
import { fittingName, placeName } from "./identifier.js";
import { readPlace, type Values } from "./place.js";

/** A column that the store derives from a field, because engines differ in how they fold and normalise text. */
export interface Shadow {
  readonly name: string;
  readonly path: Path;
  /** Null where the field holds no text. */
  derive(row: Values): string | null;
}

/** Text that is folded somewhere, in columns and inside JSON, searchable places, and the text of unique keys. */
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
  const shadows = [...folded.filter(mayHoldText).map(foldShadow), ...normal.map(normalShadow)];
  return [...new Map(shadows.map((shadow) => [shadow.name, shadow])).values()];
}

function keyFields(model: CollectionModel, folded: boolean): string[] {
  return model.unique.filter((key) => (key.fold ?? false) === folded).flatMap(({ fields }) => fields);
}

/** Name of the shadow column with the folded text of a place. */
export function foldName(path: Path): string {
  return fittingName(`${placeName(path)}__fold`);
}

/** Name of the shadow column with the NFC-normalised text of a field. */
export function normalName(path: Path): string {
  return fittingName(`${placeName(path)}__nfc`);
}

function foldShadow(path: Path): Shadow {
  return { name: foldName(path), path, derive: deriving(path, fold) };
}

function normalShadow(path: Path): Shadow {
  return { name: normalName(path), path, derive: deriving(path, (text) => text.normalize("NFC")) };
}

function deriving(path: Path, change: (text: string) => string): Shadow["derive"] {
  return (row) => {
    const value = readPlace(row, path);
    return typeof value === "string" ? change(value) : null;
  };
}
