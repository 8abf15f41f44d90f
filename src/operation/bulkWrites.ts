import type { Call, Collection, InsertManyOptions, NewRow, Row } from "../storage/collection.js";
import type { Outcome } from "../storage/outcome.js";
import type { Id } from "../storage/scalar.js";
import type { Dependents, RemovalParts } from "./references/dependents.js";
import { insertReferenced } from "./references/insertReferenced.js";
import type { Targets } from "./references/targets.js";
import { UpcomingDependents } from "./references/upcomingDependents.js";
import type { Guard } from "./rules/guard.js";
import { insertGuarded } from "./rules/insertGuarded.js";

/**
 * How the layers of {@link writableRows} write many rows at once. A request to the core writes one row; batches and imports pass this, so that only they load it.
 */
export interface BulkWrites {
  /** Inserts rows whose foreign keys are checked. @param inner the layer below */
  insertReferenced(inner: Required<Collection>, targets: Targets, given: readonly NewRow[], call: Call & InsertManyOptions): Promise<Outcome<Row>[]>;
  /** Inserts rows that the scopes of a principal judge. @param inner the layer below */
  insertGuarded(inner: Required<Collection>, guard: Guard, given: readonly NewRow[], call: Call & InsertManyOptions): Promise<Outcome<Row>[]>;
  /** Finds the dependents of rows that are removed one after the other. */
  dependentsIn(parts: RemovalParts, upcoming: readonly Id[]): Dependents;
}

export const bulkWrites: BulkWrites = {
  insertReferenced,
  insertGuarded,
  dependentsIn: (parts, upcoming) => new UpcomingDependents(parts, upcoming),
};
