import { ConfigurationError } from "../problem/index.js";
import type { Call, Collection, InsertManyOptions, NewRow, Row, RowPatch } from "../storage/collection.js";
import { RowTooLarge } from "../storage/errors.js";
import type { CollectionModel } from "../storage/model.js";
import type { Outcome } from "../storage/outcome.js";
import { type InsertCall, RowsOver, type UpdateCall } from "../storage/rowsOver.js";
import type { Id } from "../storage/scalar.js";
import type { Storage } from "../storage/storage.js";
import { asProblem } from "./asProblem.js";
import type { BulkWrites } from "./bulkWrites.js";
import type { Context } from "./context.js";
import { ReferencedRows } from "./references/referencedRows.js";
import type { Reference } from "./references/references.js";
import { Removals } from "./references/removals.js";
import { Targets, type Values } from "./references/targets.js";
import { ListenedRows } from "./rowEvents.js";
import { GuardedRows } from "./rules/guardedRows.js";
import { rowsWithin } from "./transaction/rowsWithin.js";
import type { WriteSlice } from "./writeSlice.js";

/**
 * Returns the rows of a collection to write to: those of the transaction, or those of the storage if there is no transaction. Everything that applies to
 * every write of a row is added here.
 *
 * @param upcoming the writes that follow, so that everything they need to read is read in one query
 */
export function writableRows(writer: Writer, model: CollectionModel, tx: Storage | undefined, upcoming: UpcomingWrites = {}): Rows {
  const { environment, scopes } = writer;
  if (tx === undefined && scopes === undefined) return rowsOutside(environment.collection(model.name), model);
  const rows = schemaRows(writer, model, tx, upcoming);
  return environment.version === undefined ? rows : environment.version.rows(model.name, rows);
}

/** For whom rows are written, and how that came about. */
export type Writer = Pick<
  Context,
  "environment" | "scopes" | "principal" | "isSystem" | "way" | "actionName" | "requestId" | "operationId" | "itemId" | "authRequest"
>;

/** What decides which rules apply. */
type Rights = Pick<Context, "environment" | "scopes">;

type Rows = Required<Collection>;

/** The rows of the schema: those of the store, their size, foreign keys, hooks, events and rules, each over the one before. */
function schemaRows(writer: Writer, model: CollectionModel, tx: Storage | undefined, upcoming: UpcomingWrites): Rows {
  const { environment, scopes } = writer;
  const { references, rules, limits, events, hooks, storage } = environment;
  const stored = (each: CollectionModel): Rows =>
    tx === undefined ? rowsOutside(environment.schemaRows(each.name), each) : new SizedRows(rowsWithin(tx, each), each);
  /** A write runs the hooks first: its events are those of the row that they leave. */
  const withRules = (each: CollectionModel, rows: Rows, follows: UpcomingWrites): Rows => {
    if (tx === undefined) return rows;
    const hooked = hooks?.concerns(each.name) ? hooks.over(rows, { writer, model: each, tx, upcoming: follows }) : rows;
    return events?.concerns(each.name) ? new ListenedRows(hooked, each.name, tx, events) : hooked;
  };
  const own = stored(model);
  const held = heldBy(writer, model);
  const at = { storage: tx ?? storage, lock: tx !== undefined && own.can.sharedLocks === true ? ("share" as const) : undefined };
  const removals =
    tx !== undefined && references.leadingTo.has(model.name)
      ? () =>
          new Removals(
            model,
            { references, maxRows: limits.dependentRows, rows: own, rowsOf: (each) => withRules(each, stored(each), {}) },
            upcoming.ids ?? [],
            upcoming.bulk,
          )
      : undefined;
  const isReferenced = held.length > 0 || removals !== undefined;
  const isHooked = hooks?.concerns(model.name) === true;
  const targets = isReferenced ? new Targets(held, at.storage, upcoming.values ?? [], { lock: at.lock, scopes }) : undefined;
  // A hook has the rights of the system: a key that it sets must name a row, but not one that the principal may read.
  const kept = targets && isHooked && scopes !== undefined ? new Targets(references.heldBy.get(model.name) ?? [], at.storage, [], at) : targets;
  const referenced = kept === undefined ? own : new ReferencedRows(own, kept, removals, upcoming.bulk);
  const rows = withRules(model, referenced, upcoming);
  if (scopes === undefined || rules?.has(model.name) !== true)
    return kept === targets ? rows : new ReferencedRows(rows, targets as Targets, undefined, upcoming.bulk);
  const { slice, bulk } = upcoming;
  return new GuardedRows(rows, { ...at, scopes, model, targets, updateAs: writer.actionName, isHooked, slice, bulk });
}

/** The foreign keys that writes must check. */
function heldBy({ environment: { references }, scopes }: Rights, { name }: CollectionModel): readonly Reference[] {
  const held = references.heldBy.get(name) ?? noReferences;
  const others = scopes === undefined ? noReferences : (references.unenforced.get(name) ?? noReferences);
  return others.length === 0 ? held : [...held, ...others];
}

const noReferences: readonly Reference[] = [];

const outside = new WeakMap<Required<Collection>, Required<Collection>>();

function rowsOutside(rows: Required<Collection>, model: CollectionModel): Required<Collection> {
  const known = outside.get(rows) ?? new SizedRows(rows, model);
  outside.set(rows, known);
  return known;
}

/**
 * Reports a row that is too large for the store as a problem of the client, so that batches and imports skip it like any other invalid row. A row without a value that
 * the developer's code had to make is a fault.
 */
class SizedRows extends RowsOver {
  readonly #model: CollectionModel;

  constructor(rows: Required<Collection>, model: CollectionModel) {
    super(rows);
    this.#model = model;
  }

  override insert(row: NewRow, call: InsertCall): Promise<Outcome<Row>> {
    const fault = missingMade(this.#model, [row]);
    return fault === undefined ? this.rows.insert(row, call).catch(refuseSize) : Promise.reject(fault);
  }

  override insertMany(rows: readonly NewRow[], call: Call & InsertManyOptions): Promise<Outcome<Row>[]> {
    const fault = missingMade(this.#model, rows);
    return fault === undefined ? this.rows.insertMany(rows, call).catch(refuseSize) : Promise.reject(fault);
  }

  override update(id: Id, patch: RowPatch, call: UpdateCall): Promise<Outcome<Row>> {
    return this.rows.update(id, patch, call).catch(refuseSize);
  }
}

/** The fault of a field with `generated: "code"` that nothing filled. */
function missingMade({ name, madeInCode = [] }: CollectionModel, rows: readonly NewRow[]): ConfigurationError | undefined {
  const field = madeInCode.find((each) => rows.some((row) => (row[each] ?? undefined) === undefined));
  return field === undefined
    ? undefined
    : new ConfigurationError(`${name}: no hook and no "create" filled "${field}", which is generated by "code".`);
}

function refuseSize(error: unknown): never {
  throw error instanceof RowTooLarge ? asProblem(error) : error;
}

/** Writes that follow. */
export interface UpcomingWrites {
  /** Rows that will be inserted, and patches. */
  readonly values?: readonly Values[];
  /** Ids of rows that will be removed. */
  readonly ids?: readonly Id[];
  /** The same writes of existing rows, if hooks may take them at once. */
  readonly slice?: WriteSlice | undefined;
  /** How many rows are written at once; required for `insertMany`. */
  readonly bulk?: BulkWrites | undefined;
}

/**
 * Whether writes of this kind to the collection need a transaction, because of events, foreign keys, or scopes that read other rows.
 *
 * @param write `save` for any write of values, `remove`, or the values themselves: values without foreign keys may need no transaction
 */
export function needsTransaction(writer: Rights, model: CollectionModel, write: "save" | "remove" | Values): boolean {
  const { events, references, storage } = writer.environment;
  if (events?.concerns(model.name) || runsHooks(writer, model, write)) return true;
  // Without transactions no foreign key is enforced, and scopes are judged with rows as they are.
  if (storage.transaction === undefined) return false;
  if (writer.scopes?.readsRows(model)) return true;
  if (write === "remove") return references.leadingTo.has(model.name);
  const held = heldBy(writer, model);
  return write === "save" ? held.length > 0 : held.some(({ fields }) => fields.some((field) => (write[field] ?? undefined) !== undefined));
}

/** Whether a write runs hooks. A removal may remove rows of other collections, which may have some. */
export function runsHooks({ environment: { hooks, references } }: Rights, model: CollectionModel, write: "save" | "remove" | Values): boolean {
  return hooks !== undefined && (hooks.concerns(model.name) || (write === "remove" && references.leadingTo.has(model.name)));
}
