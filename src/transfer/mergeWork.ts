import { isDeepStrictEqual } from "node:util";
import { writableRows } from "../operation/commit.js";
import { type Context, readCall, writeCall } from "../operation/context.js";
import { inTurns } from "../operation/inTurns.js";
import { ProblemError } from "../problem/index.js";
import { duplicate } from "../resource/conflict.js";
import { noSuchRow } from "../resource/identify.js";
import { permitRow } from "../resource/permitRow.js";
import type { Resource, ResourceField } from "../resource/resource.js";
import { judgeMergePatch } from "../resource/update.js";
import type { Row, RowPatch } from "../storage/collection.js";
import type { Id, Version } from "../storage/scalar.js";
import type { Storage } from "../storage/storage.js";
import { FieldPermits } from "./fieldPermits.js";
import { findByKey, type Target } from "./findByKey.js";
import { generatedValues, importedRow, keyValue } from "./importedRow.js";
import { ChangedMeanwhile, type ImportWork } from "./importWork.js";
import { insertRows } from "./insertRows.js";
import type { ReadMembers, RowMembers } from "./members.js";
import { findMissingReferences } from "./references.js";
import { failedRow, faultsOf, type RowResult } from "./rowResult.js";
import type { RowFault, SourceRow } from "./rows.js";
import type { ImportSettings } from "./settings.js";

/** How rows are merged. `seesOwn`: whether the rows of the file before those that are judged are there by then. */
type MergeSettings = Pick<ImportSettings, "mode" | "skipUnchanged"> & { readonly seesOwn: boolean };

/** What is to be done for a row. */
type Step =
  | { readonly kind: "insert"; readonly target: Target; readonly values: Row }
  | { readonly kind: "update"; readonly target: Target; readonly patch: RowPatch; readonly ifVersion: Version }
  | { readonly kind: "skip" }
  | { readonly kind: "fail"; readonly faults: readonly RowFault[] };

/**
 * Imports rows into those that have their key: as merge patches of them, and in the mode `upsert` as new rows where there are none.
 *
 * @param key the field that tells which row is meant
 */
export function mergeWork(resource: Resource, context: Context, read: ReadMembers, key: ResourceField, settings: MergeSettings): ImportWork {
  const merge = new Merge(resource, context, read, key, settings);
  return { canLookAhead: false, prepare: (rows) => merge.prepare(rows) };
}

class Merge {
  readonly #resource: Resource;
  readonly #context: Context;
  readonly #read: ReadMembers;
  readonly #key: ResourceField;
  readonly #settings: MergeSettings;
  readonly #permits: FieldPermits;
  /** Values of the key that were not found as they are, and were there when they were to be inserted. */
  readonly #respelled = new Set<unknown>();

  constructor(resource: Resource, context: Context, read: ReadMembers, key: ResourceField, settings: MergeSettings) {
    this.#resource = resource;
    this.#context = context;
    this.#read = read;
    this.#key = key;
    this.#settings = settings;
    this.#permits = new FieldPermits(resource, context);
  }

  async prepare(rows: readonly SourceRow[]) {
    const keyed = await inTurns(rows, (row) => this.#readKey(row));
    const values = keyed.flatMap((each) => ("value" in each ? [each.value] : []));
    const targets = await findByKey(this.#resource, this.#context, {
      key: this.#key,
      values,
      mayBeRespelled: (value) => this.#settings.mode === "update" || this.#respelled.has(value),
    });
    const steps = await inTurns(
      keyed,
      async (each): Promise<Step> => ("value" in each ? this.#judge(each.members, each.value, targets.of(each.value)) : each),
    );
    const checked = await this.#withReferences(steps);
    const failed = rows.flatMap((row, index) => {
      const step = checked[index];
      return step?.kind === "fail" ? [failedRow(row, ...step.faults)] : [];
    });
    return { failed, write: (tx: Storage | undefined) => this.#write(rows, checked, tx) };
  }

  async #readKey(row: SourceRow): Promise<{ readonly members: RowMembers; readonly value: unknown } | Extract<Step, { kind: "fail" }>> {
    const members = this.#read(row);
    if ("code" in members) return { kind: "fail", faults: [members] };
    const { name } = this.#key;
    const given = members.members[name] ?? members.generated[name];
    if (given === undefined || given === null || given === "") {
      return {
        kind: "fail",
        faults: [{ code: "VALIDATION_FAILED", detail: `The row has no "${name}", which tells which row is meant.`, field: name }],
      };
    }
    return failing(async () => ({ members, value: await keyValue(this.#key, given) }));
  }

  #judge(members: RowMembers, value: unknown, target: Target): Promise<Step> {
    return failing(async () => {
      const { row } = target;
      if (row !== undefined) return this.#judgeUpdate(members, target, row);
      if (this.#settings.mode === "update") throw noSuchRow(this.#resource, value as Id);
      return this.#judgeInsert(members, target, value);
    });
  }

  async #judgeInsert(members: RowMembers, target: Target, value: unknown): Promise<Step> {
    const { name, generator } = this.#key;
    if (this.#key === this.#resource.id && generator !== undefined) throw noSuchRow(this.#resource, value as Id);
    const allowed = await this.#permits.toCreate([...Object.keys(members.members), ...Object.keys(members.generated)]);
    const values = await importedRow(this.#resource, this.#context, members, allowed);
    target.row = { ...values, [name]: value };
    return { kind: "insert", target, values };
  }

  async #judgeUpdate({ members, generated }: RowMembers, target: Target, row: Row): Promise<Step> {
    const { [this.#key.name]: _, ...changes } = members;
    const resource = this.#resource;
    const patch = judgeMergePatch(resource, this.#context, changes);
    const allowed = await permitRow(this.#context, resource, "update", row, patch.fields);
    if (allowed === undefined) throw this.#settings.mode === "update" ? noSuchRow(resource, row[this.#key.name] as Id) : duplicate([this.#key.name]);
    const problems: Parameters<typeof generatedValues>[2] = [];
    const kept = await generatedValues(resource, generated, problems);
    if (problems.length > 0) return { kind: "fail", faults: faultsOf(new ProblemError("VALIDATION_FAILED", "", { errors: problems })) };
    const values = await patch.apply(row, allowed);
    if (values === undefined) return { kind: "skip" };
    const next: RowPatch = { ...values, ...kept };
    if (this.#settings.skipUnchanged && this.#changesNothing(row, next)) return { kind: "skip" };
    target.row = { ...row, ...next };
    return { kind: "update", target, patch: next, ifVersion: row._version };
  }

  #changesNothing(row: Row, patch: RowPatch): boolean {
    return Object.entries(patch).every(
      ([name, value]) =>
        name.startsWith("_") || this.#resource.fields.get(name)?.generator === "updatedAt" || isDeepStrictEqual(row[name] ?? null, value ?? null),
    );
  }

  async #withReferences(steps: readonly Step[]): Promise<readonly Step[]> {
    const written = steps.map((step) => (step.kind === "insert" ? step.values : step.kind === "update" ? step.patch : undefined));
    const faults = await findMissingReferences(this.#resource, this.#context.environment, written, readCall(this.#context), this.#settings);
    return steps.map((step, index) => {
      const fault = faults[index];
      return fault === undefined ? step : { kind: "fail", faults: [fault] };
    });
  }

  /** New rows first, all together; then the changes, in their order. */
  async #write(rows: readonly SourceRow[], steps: readonly Step[], tx: Storage | undefined): Promise<readonly RowResult[]> {
    const results = new Map<number, RowResult>();
    await this.#insert(rows, steps, results, tx);
    for (const [index, row] of rows.entries()) {
      const step = steps[index];
      if (step === undefined || results.has(index)) continue;
      results.set(index, await this.#writeOne(row, step, tx));
    }
    return rows.map((row, index) => results.get(index) ?? failedRow(row, { code: "CONFLICT", detail: "Nothing is known of the row." }));
  }

  async #insert(rows: readonly SourceRow[], steps: readonly Step[], results: Map<number, RowResult>, tx: Storage | undefined): Promise<void> {
    const inserts = [...steps.entries()].flatMap(([index, step]) => (step.kind === "insert" ? [{ index, step }] : []));
    const inserted = await insertRows(
      this.#resource,
      this.#context,
      inserts.map(({ step: { values } }) => ({ values, operationId: undefined })),
      { tx, wantsRows: true },
    );
    let isThere = false;
    for (const [position, { index, step }] of inserts.entries()) {
      const outcome = inserted[position];
      const row = rows[index];
      if (outcome === undefined || row === undefined) continue;
      if (outcome.ok) {
        step.target.id = outcome.row[this.#resource.id.name] as Id;
        results.set(index, { row, outcome: "created" });
        continue;
      }
      // The row that is meant is there, in other letters or since a moment ago: it is one to change now.
      if (outcome.key.length === 1 && outcome.key[0] === this.#key.name) {
        isThere = true;
        this.#respelled.add(step.values[this.#key.name]);
      }
      results.set(index, failedRow(row, ...outcome.faults));
    }
    if (isThere) throw new ChangedMeanwhile();
  }

  async #writeOne(row: SourceRow, step: Step, tx: Storage | undefined): Promise<RowResult> {
    if (step.kind === "skip") return { row, outcome: "skipped" };
    if (step.kind !== "update") return failedRow(row, ...(step.kind === "fail" ? step.faults : []));
    const { target, patch, ifVersion } = step;
    const { id } = target;
    if (id === undefined) return failedRow(row, { code: "CONFLICT", detail: "The row before it, of the same key, could not be imported." });
    const collection = writableRows(this.#context.environment, this.#resource.model, tx);
    const outcome = await collection.update(id, patch, { ...writeCall(this.#context), ifVersion });
    if (outcome.ok) return { row, outcome: "updated" };
    if (outcome.why !== "conflict") throw new ChangedMeanwhile();
    // Those that follow were judged by what this one would have made of it.
    target.id = undefined;
    return failedRow(row, ...faultsOf(duplicate(outcome.fields)));
  }
}

/** What the client caused becomes the fault of the row. */
async function failing<S>(judge: () => Promise<S>): Promise<S | Extract<Step, { kind: "fail" }>> {
  try {
    return await judge();
  } catch (error) {
    if (error instanceof ProblemError && error.status < 500) return { kind: "fail", faults: faultsOf(error) };
    throw error;
  }
}
