import { writeCall } from "../../../../engine/operation/context.js";
import { prepareWrite } from "../../../../engine/operation/rules/prepareWrite.js";
import { savepoint } from "../../../../engine/operation/transaction/savepoint.js";
import { ChangedInTransaction } from "../../../../engine/operation/write/changedInTransaction.js";
import { runsHooks, writableRows } from "../../../../engine/operation/write/writableRows.js";
import { withItem } from "../../../../engine/operation/write/writeMarks.js";
import { refusal } from "../../../../engine/resource/write/conflict.js";
import { mapInTurns } from "../../../../ground/http/yieldToEventLoop.js";
import { isRefusal } from "../../../../ground/problem/index.js";
import type { Collection, Row, RowUpdate } from "../../../../ground/storage/collection.js";
import type { Outcome } from "../../../../ground/storage/outcome.js";
import type { Storage } from "../../../../ground/storage/storage.js";
import type { Id } from "../../../../ground/storage/values/scalar.js";
import type { SourceRow } from "../../rows.js";
import type { ImportSettings } from "../../settings.js";
import type { Target } from "./findByKey.js";
import { ChangedMeanwhile, type ImportWork } from "./importWork.js";
import { insertRows } from "./insertRows.js";
import { type MergeAction, type MergeOptions, MergePlanner } from "./mergePlanner.js";
import { type FailedRow, failedRow, faultsOf, type RowResult } from "./rowResult.js";

/** Applies each row as a merge patch to the stored row with its key. In mode `upsert`, inserts it if there is none. */
export function mergeWork(options: MergeOptions): ImportWork {
  const planner = new MergePlanner(options);
  const ask = () => prepareWrite(options.context, options.resource, ...writeKinds(options.settings));
  return {
    canPrefetch: false,
    async findInvalid(rows) {
      await ask();
      const [index, failure] = (await planner.findInvalid(rows)) ?? [];
      const row = index === undefined ? undefined : rows[index];
      return row === undefined || failure === undefined ? undefined : failedRow(row, ...failure.faults);
    },
    async prepare(rows) {
      await ask();
      const actions = await withEffects(options, rows, await planner.plan(rows));
      const failed = rows.flatMap((row, index): FailedRow[] => {
        const action = actions[index];
        return action?.kind === "fail" ? [failedRow(row, ...action.faults)] : [];
      });
      return { failed, write: (tx) => new MergeWrite(options, planner, { rows, actions, tx }).run() };
    },
  };
}

/** The kinds of writes of an import. */
export function writeKinds({ mode }: Pick<ImportSettings, "mode">): readonly ("create" | "update")[] {
  if (mode === "insert") return ["create"];
  return mode === "update" ? ["update"] : ["create", "update"];
}

/** Runs the effects of the rows that are inserted; a refused effect fails its row. */
async function withEffects({ effect }: MergeOptions, rows: readonly SourceRow[], actions: readonly MergeAction[]): Promise<readonly MergeAction[]> {
  if (effect === undefined) return actions;
  return mapInTurns(actions, async (action, index): Promise<MergeAction> => {
    const row = rows[index];
    if (action.kind !== "insert" || row === undefined) return action;
    const done = await effect(row, action.values);
    return "values" in done ? { ...action, values: done.values } : { kind: "fail", faults: done.faults };
  });
}

/** Rows and their actions. */
interface PlannedRows {
  readonly rows: readonly SourceRow[];
  readonly actions: readonly MergeAction[];
  readonly tx: Storage | undefined;
}

/** An update that waits for those that can be written together with it. */
interface PlannedUpdate {
  readonly index: number;
  readonly row: SourceRow;
  readonly action: Extract<MergeAction, { readonly kind: "update" }>;
}

/** One attempt to write planned rows. */
class MergeWrite {
  readonly #options: MergeOptions;
  readonly #rows: readonly SourceRow[];
  readonly #actions: readonly MergeAction[];
  readonly #tx: Storage | undefined;
  readonly #rowsToUpdate: Required<Collection>;
  /** Plans the rows again if a row to be inserted already exists. */
  readonly #planner: MergePlanner;
  readonly #results = new Map<number, RowResult>();
  /** Updates of different rows that are not written yet, in their order. */
  readonly #updates = new Map<Target, PlannedUpdate>();

  constructor(options: MergeOptions, planner: MergePlanner, { rows, actions, tx }: PlannedRows) {
    this.#options = options;
    this.#planner = planner;
    this.#rows = rows;
    this.#actions = actions;
    this.#tx = tx;
    const values = actions.flatMap((action) => (action.kind === "update" ? action.patch : []));
    this.#rowsToUpdate = writableRows(options.context, options.resource.model, tx, { values });
  }

  async run(): Promise<readonly RowResult[]> {
    const { resource, key } = this.#options;
    // An update may take or free a value of another unique key; then the rows must be written in their order.
    const hasOtherKeys = resource.model.unique.some(({ fields }) => fields.length > 1 || fields[0] !== key.name);
    if (!hasOtherKeys) await this.#insert([...this.#actions.keys()]);
    for (const [index, row] of this.#rows.entries()) {
      const action = this.#actions[index];
      if (action?.kind === "skip") this.#results.set(index, { row, outcome: "skipped" });
      else if (action?.kind === "fail") this.#results.set(index, failedRow(row, ...action.faults));
      else if (action?.kind === "update") {
        // Only the store knows the version of a row that an earlier row of the file has updated.
        if (this.#updates.has(action.target)) await this.#update();
        this.#updates.set(action.target, { index, row, action });
      } else if (!this.#results.has(index)) {
        await this.#update();
        await this.#insert(this.#untilUpdate(index));
      }
    }
    await this.#update();
    return this.#rows.map((row, index) => this.#results.get(index) ?? failedRow(row, { code: "CONFLICT", detail: "The row has no result." }));
  }

  #untilUpdate(from: number): readonly number[] {
    const end = this.#actions.findIndex(({ kind }, index) => index > from && kind === "update");
    const last = end === -1 ? this.#actions.length : end;
    return Array.from({ length: last - from }, (_, offset) => from + offset);
  }

  /** Inserts all new rows of these indexes together. */
  async #insert(indexes: readonly number[]): Promise<void> {
    const { resource, context, key } = this.#options;
    const inserts = indexes.flatMap((index) => {
      const action = this.#actions[index];
      const row = this.#rows[index];
      return action?.kind === "insert" && row !== undefined ? [{ index, row, action }] : [];
    });
    const inserted = await insertRows(
      resource,
      context,
      inserts.map(({ row, action: { values } }) => ({ number: row.row, values, operationId: undefined })),
      { tx: this.#tx, wantsRows: true },
    );
    const existing: unknown[] = [];
    for (const [position, { index, row, action }] of inserts.entries()) {
      const outcome = inserted[position];
      if (outcome === undefined) continue;
      action.target.stored = outcome.ok ? outcome.row : undefined;
      if (outcome.ok) this.#results.set(index, { row, outcome: "created" });
      // A row with this key exists: in other case, or another writer has just inserted it. It must be updated instead. The conflict may name another key.
      else if (this.#isTaken(outcome.key, action) || this.#mayExist(outcome.key, action)) existing.push(action.values[key.name]);
      else this.#results.set(index, failedRow(row, ...outcome.faults));
    }
    if (existing.length === 0) return;
    for (const value of existing) this.#planner.searchFolded(value);
    throw new ChangedMeanwhile();
  }

  /** Whether to search for the row again. If that was done and it was not found, the principal may not read it, and the key stays taken. */
  #isTaken(conflict: readonly string[], { values }: Extract<MergeAction, { readonly kind: "insert" }>): boolean {
    const { key, names } = this.#options;
    return conflict.join() === names.join() && !this.#planner.wasSearchedAgain(values[key.name]);
  }

  #mayExist(conflict: readonly string[], { values }: Extract<MergeAction, { readonly kind: "insert" }>): boolean {
    return conflict.length > 0 && this.#planner.needsFoldedSearch(values[this.#options.key.name]);
  }

  /** Writes the updates that wait, with as few statements as the store needs. */
  async #update(): Promise<void> {
    const { context, resource } = this.#options;
    const updates: (PlannedUpdate & { readonly update: RowUpdate })[] = [];
    for (const planned of this.#updates.values()) {
      const { index, row, action } = planned;
      const before = action.target.stored;
      if (before === undefined) {
        this.#results.set(index, failedRow(row, { code: "CONFLICT", detail: "An earlier row with the same key could not be imported." }));
        continue;
      }
      const patch = withItem(context.environment, resource.name, action.patch, row.row);
      updates.push({ ...planned, update: { id: before[resource.id.name] as Id, patch, ifVersion: before._version, before } });
    }
    this.#updates.clear();
    if (this.#tx?.transaction !== undefined && runsHooks(context, resource.model, "save")) {
      for (const each of updates) this.#note(each, await this.#updateHooked(this.#tx, each.update));
    } else if (updates.length > 0) {
      const outcomes = await this.#rowsToUpdate.updateEach(
        updates.map(({ update }) => update),
        writeCall(context),
      );
      for (const [position, each] of updates.entries()) this.#note(each, outcomes[position] ?? { ok: false, why: "missing" });
    }
  }

  /** @throws {ChangedMeanwhile} if the row is no longer the one that was read */
  #note({ index, row, action: { target } }: PlannedUpdate, outcome: Outcome<Row>): void {
    const refused = refusal(outcome);
    if (!outcome.ok && refused === undefined) throw new ChangedMeanwhile();
    // Later rows with this key were planned on top of this update, so they must fail too.
    target.stored = outcome.ok ? outcome.row : undefined;
    this.#results.set(index, refused === undefined ? { row, outcome: "updated" } : failedRow(row, ...faultsOf(refused)));
  }

  /** A hook may refuse a row after it has used the transaction: only what it did for this row is rolled back. */
  async #updateHooked(tx: Storage, { id, patch, ...own }: RowUpdate): Promise<Outcome<Row>> {
    const { context, resource } = this.#options;
    try {
      return await savepoint(tx, (inner) =>
        writableRows(context, resource.model, inner, { values: [patch] }).update(id, patch, { ...writeCall(context), ...own }),
      );
    } catch (error) {
      if (error instanceof ChangedInTransaction) throw new ChangedMeanwhile();
      if (isRefusal(error)) return { ok: false, why: "problem", problem: error };
      throw error;
    }
  }
}
