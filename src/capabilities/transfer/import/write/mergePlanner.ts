import type { Context } from "../../../../engine/operation/context.js";
import { noSuchRow } from "../../../../engine/resource/read/identify.js";
import type { Resource, ResourceField } from "../../../../engine/resource/resource.js";
import { changesNothing } from "../../../../engine/resource/write/changesNothing.js";
import { duplicate } from "../../../../engine/resource/write/conflict.js";
import { permitFields } from "../../../../engine/resource/write/permitFields.js";
import { requireChangeable } from "../../../../engine/resource/write/requireChangeable.js";
import { validateMergePatch } from "../../../../engine/resource/write/update.js";
import { mapInTurns } from "../../../../ground/http/yieldToEventLoop.js";
import { isRefusal } from "../../../../ground/problem/index.js";
import type { Row, RowPatch } from "../../../../ground/storage/collection.js";
import { idIn } from "../../../../ground/storage/compositeId.js";
import type { Id } from "../../../../ground/storage/values/scalar.js";
import type { RowFault, SourceRow } from "../../rows.js";
import type { ImportSettings } from "../../settings.js";
import type { ReadMembers, RowMembers } from "../columns/members.js";
import { FieldPermits } from "./fieldPermits.js";
import { findByKey, foldsCase, type Target, type Targets } from "./findByKey.js";
import type { RowEffect } from "./importEffect.js";
import { generatedValues, importedRow, keyValue } from "./importedRow.js";
import { faultsOf } from "./rowResult.js";

/** What the import does for one row. */
export type MergeAction =
  | { readonly kind: "insert"; readonly target: Target; readonly values: Row }
  | { readonly kind: "update"; readonly target: Target; readonly patch: RowPatch }
  | { readonly kind: "skip" }
  | Failure;

interface Failure {
  readonly kind: "fail";
  readonly faults: readonly RowFault[];
}

/** The members of a row, and the value of its key. */
interface KeyedRow {
  readonly members: RowMembers;
  readonly value: unknown;
}

/** Options of `mergeWork`. */
export interface MergeOptions {
  readonly resource: Resource;
  readonly context: Context;
  readonly read: ReadMembers;
  /** The field by which existing rows are found: a unique one, or the id. */
  readonly key: ResourceField;
  /** The fields of the file that the key is made of: its own, or the parts of a composite id. */
  readonly names: readonly string[];
  readonly settings: Pick<ImportSettings, "mode" | "skipUnchanged">;
  readonly effect?: RowEffect | undefined;
}

/** Plans the action for each row of a file, given the rows before it. */
export class MergePlanner {
  /** Values of the key to search without regard to case. */
  readonly #foldedSearches = new Set<unknown>();
  #rows: readonly SourceRow[] | undefined;
  readonly #options: MergeOptions;
  readonly #permits: FieldPermits;

  constructor(options: MergeOptions) {
    this.#options = options;
    this.#permits = new FieldPermits(options.resource, options.context);
  }

  /** @returns the actions, in the order of the rows */
  async plan(rows: readonly SourceRow[]): Promise<readonly MergeAction[]> {
    if (rows !== this.#rows) this.#foldedSearches.clear();
    this.#rows = rows;
    return this.#planAll(await mapInTurns(rows, (row) => this.#readKey(row)));
  }

  /** If a row cannot be inserted, its key may exist in other case: then searches for it without regard to case, and plans again. */
  async #planAll(keyed: readonly (KeyedRow | Failure)[]): Promise<readonly MergeAction[]> {
    for (;;) {
      const targets = await this.#find(keyed.flatMap((each) => ("value" in each ? [each.value] : [])));
      const actions = await mapInTurns(
        keyed,
        async (each): Promise<MergeAction> => ("value" in each ? this.#planRow(each.members, each.value, targets.of(each.value)) : each),
      );
      const unsearched = keyed.flatMap((each, index) =>
        "value" in each && actions[index]?.kind === "fail" && this.needsFoldedSearch(each.value) ? [each.value] : [],
      );
      for (const value of unsearched) this.searchFolded(value);
      const found = await this.#find(unsearched);
      if (unsearched.every((value) => found.of(value).row === undefined)) return actions;
    }
  }

  #find(values: readonly unknown[]): Promise<Targets> {
    const { resource, context, key } = this.#options;
    return findByKey(resource, context, { key, values, searchesFolded: (value) => this.#searchesFolded(value) });
  }

  /** The index of the first row without a usable key, or without an existing row in mode `update`. Other faults may depend on the rows before. */
  async findInvalid(rows: readonly SourceRow[]): Promise<readonly [index: number, Failure] | undefined> {
    const { settings } = this.#options;
    const keyed = await mapInTurns(rows, (row) => this.#readKey(row));
    const targets = await this.#find(settings.mode === "update" ? keyed.flatMap((each) => ("value" in each ? [each.value] : [])) : []);
    for (const [index, each] of keyed.entries()) {
      if (!("value" in each)) return [index, each];
      if (settings.mode === "update" && targets.of(each.value).row === undefined) return [index, this.#notFound(each.value)];
    }
    return undefined;
  }

  /** Searches for a value of the key without regard to case when the same rows are planned again. */
  searchFolded(value: unknown): void {
    this.#foldedSearches.add(value);
  }

  /** Whether {@link searchFolded} was called for a value of these rows. */
  wasSearchedAgain(value: unknown): boolean {
    return this.#foldedSearches.has(value);
  }

  /** Whether the key ignores case, but the value was searched in its exact form only. */
  needsFoldedSearch(value: unknown): boolean {
    const { resource, key } = this.#options;
    return foldsCase(resource, key) && !this.#searchesFolded(value);
  }

  #searchesFolded(value: unknown): boolean {
    const { settings, context } = this.#options;
    // Without transactions there is no second attempt, since inserted rows cannot be rolled back.
    const isFinal = context.environment.storage.transaction === undefined;
    return settings.mode === "update" || isFinal || this.#foldedSearches.has(value);
  }

  async #readKey(row: SourceRow): Promise<KeyedRow | Failure> {
    const { resource, read, names } = this.#options;
    const members = read(row);
    if ("code" in members) return { kind: "fail", faults: [members] };
    const given = { ...members.members, ...members.generated };
    const missing = names.find((name) => (given[name] ?? "") === "");
    if (missing !== undefined) {
      const detail = `The row has no "${missing}", by which existing rows are found.`;
      return { kind: "fail", faults: [{ code: "VALIDATION_FAILED", detail, field: missing }] };
    }
    return orFailure(async () => {
      const values: Record<string, unknown> = {};
      for (const name of names) values[name] = await keyValue(resource.fields.get(name) as ResourceField, given[name]);
      return { members, value: idIn(values, names) };
    });
  }

  #planRow(members: RowMembers, value: unknown, target: Target): Promise<MergeAction> {
    const { resource, key, settings } = this.#options;
    return orFailure(async () => {
      const { row } = target;
      if (row !== undefined) return this.#planUpdate(members, target, row);
      const generatesKey = key === resource.id && key.generator !== undefined && !Object.hasOwn(members.generated, key.name);
      if (settings.mode === "update" || generatesKey) return this.#notFound(value);
      return this.#planInsert(members, target, value);
    });
  }

  /** The same fault for a missing row and for a hidden one. */
  #notFound(value: unknown): Failure {
    const { resource, names } = this.#options;
    const { code, message } = noSuchRow(resource, value as Id);
    return { kind: "fail", faults: [{ code, detail: message, field: names[0] }] };
  }

  async #planInsert(members: RowMembers, target: Target, value: unknown): Promise<MergeAction> {
    const { resource, context, key } = this.#options;
    const allowed = await this.#permits.toCreate(members);
    const values = await importedRow(resource, context, members, allowed);
    target.row = { ...values, [key.name]: value };
    return { kind: "insert", target, values };
  }

  async #planUpdate({ members, generated }: RowMembers, target: Target, row: Row): Promise<MergeAction> {
    const { resource, context, key, names, settings } = this.#options;
    const changes = { ...members };
    const generatedChanges = { ...generated };
    for (const name of names) {
      delete changes[name];
      delete generatedChanges[name];
    }
    const patch = validateMergePatch(resource, context, changes);
    const allowed = await permitFields(context, resource, "update", [...patch.fields, ...Object.keys(generatedChanges)]);
    if (allowed === undefined && settings.mode === "update") return this.#notFound(row[key.name]);
    if (allowed === undefined) throw duplicate(names);
    await requireChangeable(context, resource, "update", row);
    const kept = await generatedValues(resource, context, allowed, generatedChanges, row);
    const next = await patch.apply(row, allowed, kept);
    if (next === undefined || (settings.skipUnchanged && changesNothing(resource, row, next))) return { kind: "skip" };
    target.row = { ...row, ...next };
    return { kind: "update", target, patch: next };
  }
}

/** Converts a problem that the client caused to a failure of the row. */
async function orFailure<S>(run: () => Promise<S>): Promise<S | Failure> {
  try {
    return await run();
  } catch (error) {
    if (isRefusal(error)) return { kind: "fail", faults: faultsOf(error) };
    throw error;
  }
}
