import type { Environment } from "../../engine/operation/environment.js";
import type { Collection, Row } from "../../ground/storage/collection.js";
import { RowsOver } from "../../ground/storage/completed/rowsOver.js";
import type { Id } from "../../ground/storage/values/scalar.js";

/** A row of the schema as the version of the API shows it. */
export async function rowInVersion({ version, schemaRows }: Environment, collection: string, row: Row, id: Id): Promise<Row> {
  if (version === undefined) return row;
  return (await version.rows(collection, new OneRow(schemaRows(collection), row)).get(id, {})) ?? row;
}

/** A collection with one row. */
class OneRow extends RowsOver {
  readonly #row: Row;

  constructor(rows: Required<Collection>, row: Row) {
    super(rows);
    this.#row = row;
  }

  override async get(): Promise<Row> {
    return this.#row;
  }
}
