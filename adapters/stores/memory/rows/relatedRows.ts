import type { RelatedFilter } from "../../../../src/ground/storage/filter.js";
import { compileFilter, type Evaluation } from "../../../../src/ground/storage/matches/compileFilter.js";
import { readersOf } from "../../../../src/ground/storage/matches/path.js";
import type { CollectionModel } from "../../../../src/ground/storage/model.js";
import { checkRelatedKey } from "../../../../src/ground/storage/relatedKey.js";
import type { Id } from "../../../../src/ground/storage/values/scalar.js";
import type { Layer } from "../layer.js";
import type { Table } from "./table.js";

/** Where the rows of other collections are. */
export interface Tables {
  readonly layer: Layer;
  tableOf(model: CollectionModel): Table;
}

/** What filters on the rows of a table need. Related rows are looked up by id as the layer sees them, inside a transaction with its changes. */
export function evaluationOf(model: CollectionModel, tables: Tables, tenant: string | undefined): Evaluation {
  return {
    readAt: readersOf(model),
    searchable: model.searchable,
    related(filter) {
      checkRelatedKey(model, filter);
      return compileRelated(filter, tables, tenant);
    },
  };
}

function compileRelated({ collection, shared, filter }: RelatedFilter, tables: Tables, tenant: string | undefined): (key: Id) => boolean {
  const table = tables.tableOf(collection);
  const owner = shared ? undefined : tenant;
  const partition = tables.layer.partition(table, owner);
  const matches = compileFilter(filter, evaluationOf(table.model, tables, owner));
  return (key) => {
    const row = partition.get(key);
    return row !== undefined && matches(row);
  };
}
