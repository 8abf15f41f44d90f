import { isDeepStrictEqual } from "node:util";
import { type Context, readCall } from "../operation/context.js";
import { inTurns } from "../operation/inTurns.js";
import { ProblemError } from "../problem/index.js";
import { duplicate } from "../resource/conflict.js";
import { noSuchRow } from "../resource/identify.js";
import { permitRow } from "../resource/permitRow.js";
import type { Resource, ResourceField } from "../resource/resource.js";
import { judgeMergePatch } from "../resource/update.js";
import type { Row, RowPatch } from "../storage/collection.js";
import type { Id, Version } from "../storage/scalar.js";
import { FieldPermits } from "./fieldPermits.js";
import { findByKey, foldsCase, type Target, type Targets } from "./findByKey.js";
import { generatedValues, importedRow, keyValue } from "./importedRow.js";
import type { ReadMembers, RowMembers } from "./members.js";
import { findMissingReferences } from "./references.js";
import { faultsOf } from "./rowResult.js";
import type { RowFault, SourceRow } from "./rows.js";
import type { ImportSettings } from "./settings.js";

/** What is to be done for a row. */
export type MergeStep =
  | { readonly kind: "insert"; readonly target: Target; readonly values: Row }
  | { readonly kind: "update"; readonly target: Target; readonly patch: RowPatch; readonly ifVersion: Version }
  | { readonly kind: "skip" }
  | Failure;

interface Failure {
  readonly kind: "fail";
  readonly faults: readonly RowFault[];
}

/** What a row says, and the value of its key. */
interface KeyedRow {
  readonly members: RowMembers;
  readonly value: unknown;
}

/** What rows are merged into, and how. */
export interface Merging {
  readonly resource: Resource;
  readonly context: Context;
  readonly read: ReadMembers;
  /** The field that tells which row is meant. */
  readonly key: ResourceField;
  readonly settings: Pick<ImportSettings, "mode" | "skipUnchanged">;
}

/** Judges what is to be done for rows of a file, each after those before it. */
export class MergeSteps {
  readonly #respelled = new Set<unknown>();
  #rows: readonly SourceRow[] | undefined;
  readonly #merging: Merging;
  readonly #permits: FieldPermits;

  constructor(merging: Merging) {
    this.#merging = merging;
    this.#permits = new FieldPermits(merging.resource, merging.context);
  }

  /** @returns the steps, in the order of the rows */
  async of(rows: readonly SourceRow[]): Promise<readonly MergeStep[]> {
    const { resource, context } = this.#merging;
    if (rows !== this.#rows) this.#respelled.clear();
    this.#rows = rows;
    const steps = await this.#settled(await inTurns(rows, (row) => this.#readKey(row)));
    const written = steps.map((step) => (step.kind === "insert" ? step.values : step.kind === "update" ? step.patch : undefined));
    const faults = await findMissingReferences(resource, context.environment, written, readCall(context));
    return steps.map((step, index) => {
      const fault = faults[index];
      return fault === undefined ? step : { kind: "fail", faults: [fault] };
    });
  }

  /** A row that cannot be added may be a change of one that is there in other letters. */
  async #settled(keyed: readonly (KeyedRow | Failure)[]): Promise<readonly MergeStep[]> {
    for (;;) {
      const targets = await this.#find(keyed.flatMap((each) => ("value" in each ? [each.value] : [])));
      const steps = await inTurns(
        keyed,
        async (each): Promise<MergeStep> => ("value" in each ? this.#judge(each.members, each.value, targets.of(each.value)) : each),
      );
      const unsure = keyed.flatMap((each, index) =>
        "value" in each && steps[index]?.kind === "fail" && this.isUnsure(each.value) ? [each.value] : [],
      );
      for (const value of unsure) this.respelled(value);
      const found = await this.#find(unsure);
      if (unsure.every((value) => found.of(value).row === undefined)) return steps;
    }
  }

  #find(values: readonly unknown[]): Promise<Targets> {
    const { resource, context, key } = this.#merging;
    return findByKey(resource, context, { key, values, mayBeRespelled: (value) => this.#mayBeRespelled(value) });
  }

  /** The first of the rows that names no row, at its place; whatever else is wrong may depend on rows before. */
  async findHopeless(rows: readonly SourceRow[]): Promise<readonly [index: number, Failure] | undefined> {
    const { resource, key, settings } = this.#merging;
    const keyed = await inTurns(rows, (row) => this.#readKey(row));
    const targets = await this.#find(settings.mode === "update" ? keyed.flatMap((each) => ("value" in each ? [each.value] : [])) : []);
    for (const [index, each] of keyed.entries()) {
      if (!("value" in each)) return [index, each];
      if (settings.mode === "update" && targets.of(each.value).row === undefined) return [index, notFound(resource, key, each.value)];
    }
    return undefined;
  }

  /** A value of the key that was not found as it stands is to be looked for in other letters when the same rows are judged again. */
  respelled(value: unknown): void {
    this.#respelled.add(value);
  }

  /** Whether a value of the key that was not found was not looked for in other letters. */
  isUnsure(value: unknown): boolean {
    const { resource, key } = this.#merging;
    return foldsCase(resource, key) && !this.#mayBeRespelled(value);
  }

  #mayBeRespelled(value: unknown): boolean {
    const { settings, context } = this.#merging;
    // What has been inserted beside it could not be taken back.
    const isFinal = context.environment.storage.transaction === undefined;
    return settings.mode === "update" || isFinal || this.#respelled.has(value);
  }

  async #readKey(row: SourceRow): Promise<KeyedRow | Failure> {
    const { key, read } = this.#merging;
    const { name } = key;
    const members = read(row);
    if ("code" in members) return { kind: "fail", faults: [members] };
    const given = Object.hasOwn(members.generated, name) ? members.generated[name] : members.members[name];
    if (given === undefined || given === null || given === "") {
      const detail = `The row has no "${name}", which tells which row is meant.`;
      return { kind: "fail", faults: [{ code: "VALIDATION_FAILED", detail, field: name }] };
    }
    return failing(async () => ({ members, value: await keyValue(key, given) }));
  }

  #judge(members: RowMembers, value: unknown, target: Target): Promise<MergeStep> {
    const { resource, key, settings } = this.#merging;
    return failing(async () => {
      const { row } = target;
      if (row !== undefined) return this.#judgeUpdate(members, target, row);
      const numbersItself = key === resource.id && key.generator !== undefined && !Object.hasOwn(members.generated, key.name);
      if (settings.mode === "update" || numbersItself) return notFound(resource, key, value);
      return this.#judgeInsert(members, target, value);
    });
  }

  async #judgeInsert(members: RowMembers, target: Target, value: unknown): Promise<MergeStep> {
    const { resource, context, key } = this.#merging;
    const allowed = await this.#permits.toCreate([...Object.keys(members.members), ...Object.keys(members.generated)]);
    const values = await importedRow(resource, context, members, allowed);
    target.row = { ...values, [key.name]: value };
    return { kind: "insert", target, values };
  }

  async #judgeUpdate({ members, generated }: RowMembers, target: Target, row: Row): Promise<MergeStep> {
    const { resource, context, key, settings } = this.#merging;
    const { [key.name]: _, ...changes } = members;
    const { [key.name]: __, ...generatedChanges } = generated;
    const patch = judgeMergePatch(resource, context, changes);
    const allowed = await permitRow(context, resource, "update", row, [...patch.fields, ...Object.keys(generatedChanges)]);
    if (allowed === undefined && settings.mode === "update") return notFound(resource, key, row[key.name]);
    if (allowed === undefined) throw duplicate([key.name]);
    const kept = await generatedValues(resource, context, allowed, generatedChanges, row);
    const next = await patch.apply(row, allowed, kept);
    if (next === undefined || (settings.skipUnchanged && changesNothing(resource, row, next))) return { kind: "skip" };
    target.row = { ...row, ...next };
    return { kind: "update", target, patch: next, ifVersion: row._version };
  }
}

function changesNothing({ fields }: Resource, row: Row, patch: RowPatch): boolean {
  return Object.entries(patch).every(
    ([name, value]) => name.startsWith("_") || fields.get(name)?.generator === "updatedAt" || isDeepStrictEqual(row[name] ?? null, value ?? null),
  );
}

/** The same for a row that is missing and one that is hidden. */
function notFound(resource: Resource, { name }: ResourceField, value: unknown): Failure {
  const { code, message } = noSuchRow(resource, value as Id);
  return { kind: "fail", faults: [{ code, detail: message, field: name }] };
}

/** What the client caused becomes the fault of the row. */
async function failing<S>(judge: () => Promise<S>): Promise<S | Failure> {
  try {
    return await judge();
  } catch (error) {
    if (error instanceof ProblemError && error.status < 500) return { kind: "fail", faults: faultsOf(error) };
    throw error;
  }
}
