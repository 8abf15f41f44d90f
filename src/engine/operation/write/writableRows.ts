import { loadedBefore } from "../../../ground/onDemand/onDemand.js";
import type { Collection } from "../../../ground/storage/collection.js";
import type { CollectionModel } from "../../../ground/storage/model.js";
import type { Storage } from "../../../ground/storage/storage.js";
import type { RowValues } from "../../../ground/storage/values/rowValues.js";
import type { Id } from "../../../ground/storage/values/scalar.js";
import type { Context } from "../context.js";
import type { Environment } from "../environment.js";
import type { FindUpcoming } from "../references/dependents.js";
import { loadEnforcement } from "../references/onDemand.js";
import type { Reference } from "../references/references.js";
import type { Removals } from "../references/removals.js";
import type { Targets } from "../references/targets.js";
import { loadScoping } from "../rules/onDemand.js";
import { rowsWithin } from "../transaction/rowsWithin.js";
import { EventStage } from "./eventStage.js";
import { SizedRows } from "./sizedRows.js";
import type { WriteStage } from "./stage.js";
import { StagedRows } from "./stagedRows.js";
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

/** The rows of the schema, whose writes pass through the stages in this order. What a stage does after the write happens in the opposite order. */
function schemaRows(writer: Writer, model: CollectionModel, tx: Storage | undefined, upcoming: UpcomingWrites): Rows {
  const { environment } = writer;
  const rows = tx === undefined ? environment.schemaRows(model.name) : rowsWithin(tx, model);
  // Made first: at the end of a slice of writes the hooks run before the scope is asked.
  const hooked = tx === undefined ? [] : hookStages(writer, { model, rows, tx, upcoming });
  const references = referenceStages(writer, { model, rows, tx, upcoming });
  const stages = [
    ...(tx === undefined ? [] : eventStages(environment, model, tx)),
    ...scopeStages(writer, { model, rows, tx, upcoming, targets: references.targets }),
    ...references.ofPrincipal,
    ...hooked,
    ...references.ofWrite,
  ];
  const sized = tx === undefined ? rowsOutside(rows, model) : new SizedRows(rows, model);
  return stages.length === 0 ? sized : new StagedRows(sized, stages);
}

/** What the stages of a collection are made for. */
interface StagedWrites {
  readonly model: CollectionModel;
  readonly rows: Rows;
  readonly tx: Storage | undefined;
  readonly upcoming: UpcomingWrites;
}

function eventStages({ events }: Environment, { name }: CollectionModel, tx: Storage): readonly WriteStage[] {
  return events?.concerns(name) ? [new EventStage(name, tx, events)] : [];
}

/** Hooks of the developer and claims of files. */
function hookStages(writer: Writer, { model, rows, tx, upcoming }: StagedWrites & { readonly tx: Storage }): readonly WriteStage[] {
  const { hooks } = writer.environment;
  return hooks?.concerns(model.name) ? hooks.stages({ writer, model, rows, tx, upcoming }) : [];
}

/** What checks foreign keys. */
interface ReferenceStages {
  /** What the scope asks whether a key is known; `undefined` if the collection has no keys. */
  readonly targets: Targets | undefined;
  /** Before the hooks, with the rows that the principal may read. */
  readonly ofPrincipal: readonly WriteStage[];
  readonly ofWrite: readonly WriteStage[];
}

function referenceStages(writer: Writer, place: StagedWrites): ReferenceStages {
  const { environment, scopes } = writer;
  const { references, hooks, storage, rules } = environment;
  const { model, rows, tx, upcoming } = place;
  const held = heldBy(writer, model);
  const removals = tx !== undefined && references.leadingTo.has(model.name) ? () => removalsOf(writer, { ...place, tx }) : undefined;
  if (held.length === 0 && removals === undefined) return { targets: undefined, ofPrincipal: [], ofWrite: [] };
  const { ReferenceStage, Targets } = loadedBefore(loadEnforcement());
  const lock = lockOf(rows, tx);
  const targets = new Targets(held, tx ?? storage, upcoming.values ?? [], { lock, scopes });
  if (scopes === undefined || hooks?.concerns(model.name) !== true) {
    return { targets, ofPrincipal: [], ofWrite: [new ReferenceStage(targets, removals)] };
  }
  // A hook has the rights of the system: a key that it sets must name a row, but not one that the principal may read.
  const kept = new Targets(references.heldBy.get(model.name) ?? [], tx ?? storage, [], { lock });
  // A scope asks for the keys of the principal itself.
  const ofPrincipal = rules?.has(model.name) === true ? [] : [new ReferenceStage(targets, undefined)];
  return { targets, ofPrincipal, ofWrite: [new ReferenceStage(kept, removals)] };
}

/** Removes rows and those that depend on them. The dependents run their hooks and cause their events, without the scope of the principal. */
function removalsOf(writer: Writer, { model, rows, tx, upcoming }: StagedWrites & { readonly tx: Storage }): Removals {
  const { environment } = writer;
  const rowsOf = (each: CollectionModel): Rows => {
    const own = rowsWithin(tx, each);
    const stages = hookStages(writer, { model: each, rows: own, tx, upcoming: {} });
    return new StagedRows(new SizedRows(own, each), [...eventStages(environment, each, tx), ...stages]);
  };
  const parts = { references: environment.references, maxRows: environment.limits.dependentRows, rows, rowsOf };
  const { Removals } = loadedBefore(loadEnforcement());
  return new Removals(model, parts, upcoming.ids ?? [], upcoming.dependents);
}

function scopeStages(
  { environment: { rules, hooks, storage }, scopes, actionName }: Writer,
  { model, rows, tx, upcoming, targets }: StagedWrites & { readonly targets: Targets | undefined },
): readonly WriteStage[] {
  if (scopes === undefined || rules?.has(model.name) !== true) return [];
  const isHooked = hooks?.concerns(model.name) === true;
  const { ScopeStage } = loadedBefore(loadScoping());
  return [
    new ScopeStage({ storage: tx ?? storage, lock: lockOf(rows, tx), scopes, model, targets, updateAs: actionName, isHooked, slice: upcoming.slice }),
  ];
}

/** How rows that a write depends on are locked until the end of its transaction. */
function lockOf(rows: Rows, tx: Storage | undefined): "share" | undefined {
  return tx !== undefined && rows.can.sharedLocks === true ? "share" : undefined;
}

/** The foreign keys that writes must check. */
function heldBy({ environment: { references }, scopes }: Rights, { name }: CollectionModel): readonly Reference[] {
  const held = references.heldBy.get(name) ?? noReferences;
  const others = scopes === undefined ? noReferences : (references.unenforced.get(name) ?? noReferences);
  return others.length === 0 ? held : [...held, ...others];
}

const noReferences: readonly Reference[] = [];

const outside = new WeakMap<Rows, Rows>();

function rowsOutside(rows: Rows, model: CollectionModel): Rows {
  const known = outside.get(rows) ?? new SizedRows(rows, model);
  outside.set(rows, known);
  return known;
}

/** Writes that follow. */
export interface UpcomingWrites {
  /** Rows that will be inserted, and patches. */
  readonly values?: readonly RowValues[];
  /** Ids of rows that will be removed. */
  readonly ids?: readonly Id[];
  /** The same writes of existing rows, if hooks may take them at once. */
  readonly slice?: WriteSlice | undefined;
  /** Finds the rows that depend on those that are removed, of all of them at once. */
  readonly dependents?: FindUpcoming | undefined;
}

/**
 * Whether writes of this kind to the collection need a transaction, because of events, foreign keys, or scopes that read other rows.
 *
 * @param write `save` for any write of values, `remove`, or the values themselves: values without foreign keys may need no transaction
 */
export function needsTransaction(writer: Rights, model: CollectionModel, write: "save" | "remove" | RowValues): boolean {
  const { events, references, storage } = writer.environment;
  if (events?.concerns(model.name) || runsHooks(writer, model, write)) return true;
  // Without transactions no foreign key is enforced, and a scope is evaluated on the rows as they stand.
  if (storage.transaction === undefined) return false;
  if (writer.scopes?.readsRows(model)) return true;
  if (write === "remove") return references.leadingTo.has(model.name);
  const held = heldBy(writer, model);
  return write === "save" ? held.length > 0 : held.some(({ fields }) => fields.some((field) => (write[field] ?? undefined) !== undefined));
}

/** Whether a write runs hooks. A removal may remove rows of other collections, which may have some. */
export function runsHooks({ environment: { hooks, references } }: Rights, model: CollectionModel, write: "save" | "remove" | RowValues): boolean {
  return hooks !== undefined && (hooks.concerns(model.name) || (write === "remove" && references.leadingTo.has(model.name)));
}
