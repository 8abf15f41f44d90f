import type { Collection, Row } from "../../../ground/storage/collection.js";
import type { Environment } from "../environment.js";

/** A version of the API whose rows are not those of the schemas. */
export interface ApiVersion {
  readonly name: string;
  /** The rows of a collection as this version shows them. */
  rows(collection: string, rows: Required<Collection>): Required<Collection>;
  /** The row of the schema that a row of this version was read from. */
  original(row: Row): Row;
}

/** The environment of a version, by its name; that of the schemas if there is no such version. */
export function environmentIn(environment: Environment, version: string | undefined): Environment {
  return (version === undefined ? undefined : environment.versions.get(version)) ?? environment;
}
