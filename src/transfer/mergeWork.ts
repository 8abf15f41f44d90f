import { writableRows } from "../operation/commit.js";
import { writeCall } from "../operation/context.js";
import { duplicate } from "../resource/conflict.js";
import type { Id } from "../storage/scalar.js";
import type { Storage } from "../storage/storage.js";
import { ChangedMeanwhile, type ImportWork } from "./importWork.js";
import { insertRows } from "./insertRows.js";
import { type MergeStep, MergeSteps, type Merging } from "./mergeSteps.js";
import { type FailedRow, failedRow, faultsOf, type RowResult } from "./rowResult.js";
import type { SourceRow } from "./rows.js";

/** Imports rows into those that have their key: as merge patches of them, and in the mode `upsert` as new rows where there are none. */
export function mergeWork(merging: Merging): ImportWork {
  const steps = new MergeSteps(merging);
  return {
    canLookAhead: false,
    async findHopeless(rows) {
      const [index, failure] = (await steps.findHopeless(rows)) ?? [];
      const row = index === undefined ? undefined : rows[index];
      return row === undefined || failure === undefined ? undefined : failedRow(row, ...failure.faults);
    },
    async prepare(rows) {
      const judged = await steps.of(rows);
      const failed = rows.flatMap((row, index): FailedRow[] => {
        const step = judged[index];
        return step?.kind === "fail" ? [failedRow(row, ...step.faults)] : [];
      });
      return { failed, write: (tx) => new MergeWrite(merging, steps, { rows, steps: judged, tx }).run() };
    },
  };
}

/** Rows, and what is to be done for each. */
interface JudgedSteps {
  readonly rows: readonly SourceRow[];
  readonly steps: readonly MergeStep[];
  readonly tx: Storage | undefined;
}

/** One try at writing rows that have been judged. */
class MergeWrite {
  readonly #merging: Merging;
  readonly #rows: readonly SourceRow[];
  readonly #steps: readonly MergeStep[];
  readonly #tx: Storage | undefined;
  /** Judges the rows again where one turns out to be there. */
  readonly #judges: MergeSteps;
  readonly #results = new Map<number, RowResult>();

  constructor(merging: Merging, judges: MergeSteps, { rows, steps, tx }: JudgedSteps) {
    this.#merging = merging;
    this.#judges = judges;
    this.#rows = rows;
    this.#steps = steps;
    this.#tx = tx;
  }

  async run(): Promise<readonly RowResult[]> {
    const { resource, key } = this.#merging;
    // A change may take or free the value of another key: then every row waits for those before it.
    const hasOtherKeys = resource.model.unique.some(({ fields }) => fields.length > 1 || fields[0] !== key.name);
    if (!hasOtherKeys) await this.#insert([...this.#steps.keys()]);
    for (const [index, row] of this.#rows.entries()) {
      const step = this.#steps[index];
      if (step?.kind === "insert" && !this.#results.has(index)) await this.#insert(this.#untilUpdate(index));
      else if (step !== undefined && step.kind !== "insert") this.#results.set(index, await this.#writeOne(row, step));
    }
    return this.#rows.map((row, index) => this.#results.get(index) ?? failedRow(row, { code: "CONFLICT", detail: "Nothing is known of the row." }));
  }

  #untilUpdate(from: number): readonly number[] {
    const end = this.#steps.findIndex(({ kind }, index) => index > from && kind === "update");
    const last = end === -1 ? this.#steps.length : end;
    return Array.from({ length: last - from }, (_, offset) => from + offset);
  }

  /** Those of the rows that are new, all together. */
  async #insert(indexes: readonly number[]): Promise<void> {
    const { resource, context, key } = this.#merging;
    const inserts = indexes.flatMap((index) => {
      const step = this.#steps[index];
      return step?.kind === "insert" ? [{ index, step }] : [];
    });
    const inserted = await insertRows(
      resource,
      context,
      inserts.map(({ step: { values } }) => ({ values, operationId: undefined })),
      { tx: this.#tx, wantsRows: true },
    );
    const isThere: unknown[] = [];
    for (const [position, { index, step }] of inserts.entries()) {
      const outcome = inserted[position];
      const row = this.#rows[index];
      if (outcome === undefined || row === undefined) continue;
      step.target.id = outcome.ok ? (outcome.row[resource.id.name] as Id) : undefined;
      if (outcome.ok) this.#results.set(index, { row, outcome: "created" });
      // The row that is meant is there, in other letters or since a moment ago: it is one to change now. It may hold another key of the row as well.
      else if ((outcome.key.length === 1 && outcome.key[0] === key.name) || this.#mayBeThere(outcome.key, step)) isThere.push(step.values[key.name]);
      else this.#results.set(index, failedRow(row, ...outcome.faults));
    }
    if (isThere.length === 0) return;
    for (const value of isThere) this.#judges.respelled(value);
    throw new ChangedMeanwhile();
  }

  #mayBeThere(conflict: readonly string[], { values }: Extract<MergeStep, { readonly kind: "insert" }>): boolean {
    return conflict.length > 0 && this.#judges.isUnsure(values[this.#merging.key.name]);
  }

  async #writeOne(row: SourceRow, step: Exclude<MergeStep, { readonly kind: "insert" }>): Promise<RowResult> {
    if (step.kind === "skip") return { row, outcome: "skipped" };
    if (step.kind === "fail") return failedRow(row, ...step.faults);
    const { context, resource } = this.#merging;
    const { target, patch, ifVersion } = step;
    const { id } = target;
    if (id === undefined) return failedRow(row, { code: "CONFLICT", detail: "The row before it, of the same key, could not be imported." });
    const collection = writableRows(context.environment, resource.model, this.#tx);
    const outcome = await collection.update(id, patch, { ...writeCall(context), ifVersion });
    if (outcome.ok) return { row, outcome: "updated" };
    if (outcome.why !== "conflict") throw new ChangedMeanwhile();
    // Those that follow were judged by what this one would have made of it.
    target.id = undefined;
    return failedRow(row, ...faultsOf(duplicate(outcome.fields)));
  }
}
