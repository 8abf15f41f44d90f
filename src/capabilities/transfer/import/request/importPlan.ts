import type { Context } from "../../../../engine/operation/context.js";
import { type Permit, permit } from "../../../../engine/operation/permit.js";
import { prepareWrite } from "../../../../engine/operation/rules/prepareWrite.js";
import type { LinkedResource } from "../../../../engine/resource/relations/link.js";
import type { Resource, ResourceField } from "../../../../engine/resource/resource.js";
import { closest } from "../../../../ground/problem/closest.js";
import { ProblemError, type ProblemItem, problemOf } from "../../../../ground/problem/index.js";
import { quote } from "../../../../ground/problem/quote.js";
import { unescapeFormula } from "../../../../language/csv/formula.js";
import { type Faults, hintAt } from "../../../../language/query/fault.js";
import { type Gate, gateFor } from "../../../../language/schema/access.js";
import type { Action } from "../../../../parts/auth/authorize.js";
import type { Principal } from "../../../../parts/auth/verifier.js";
import { keyRequired } from "../../../../parts/idempotency/key.js";
import type { CsvHeader } from "../../formats/readHeader.js";
import type { SourceRow } from "../../rows.js";
import type { ImportSettings } from "../../settings.js";
import { compileColumns, type ImportTarget } from "../columns/columns.js";
import { cellMembers, type ReadMembers, valueMembers } from "../columns/members.js";
import { effectOf } from "../write/importEffect.js";
import type { ImportWork } from "../write/importWork.js";
import { insertWork } from "../write/insertWork.js";
import { mergeWork, writeKinds } from "../write/mergeWork.js";

/** A valid and permitted import. */
export interface ImportPlan {
  readonly resource: Resource;
  readonly settings: ImportSettings;
  /** Its `permit` is that of the principal for this collection. */
  readonly context: Context;
}

/** Whether a collection accepts imports. */
export function isImportable({ import: settings, operations }: Resource): boolean {
  return settings !== undefined && (operations.has("create") || operations.has("update"));
}

/** Whether an import may create rows of a resource with effects. Each row is then committed by itself. */
export function hasEffects({ resource, settings: { mode } }: ImportPlan): boolean {
  return resource.create !== undefined && mode !== "update";
}

/**
 * Requires an idempotency key if the collection requires one to create rows and the import may create rows.
 *
 * @throws {ProblemError} IDEMPOTENCY_KEY_REQUIRED
 */
export function requireKey({ resource, settings: { mode }, context: { isKeyed } }: ImportPlan): void {
  if (resource.requireIdempotencyKey && isKeyed !== true && mode !== "update") throw keyRequired();
}

/**
 * Validates the request for an import and asks `authorize`.
 *
 * @param faults the faults of the request so far
 * @throws {ProblemError} 400 with all faults; FORBIDDEN, FORBIDDEN_FIELD, UNAUTHENTICATED, NOT_FOUND
 */
export async function planImport(
  context: Context,
  resources: ReadonlyMap<string, LinkedResource>,
  { collection, settings }: { readonly collection: string | undefined; readonly settings: ImportSettings },
  faults: Faults = [],
): Promise<ImportPlan> {
  const resource = importableOf(collection, resources, faults);
  if (resource !== undefined) validateMode(resource, context.principal, settings, faults);
  if (resource === undefined || faults.length > 0) {
    throw problemOf(faults[0]?.code ?? "INVALID_VALUE", faults, { status: 400 });
  }
  return { resource, settings, context: await permitted(context, resource, settings) };
}

function importableOf(name: string | undefined, resources: ReadonlyMap<string, LinkedResource>, faults: Faults): Resource | undefined {
  const found = name === undefined ? undefined : resources.get(name)?.resource;
  if (found !== undefined && isImportable(found)) return found;
  const names = [...resources.values()].filter(({ resource }) => isImportable(resource)).map((linked) => linked.name);
  const near = name === undefined ? undefined : closest(name, names);
  const got = name === undefined ? "it is missing" : `got ${quote(name)}`;
  const detail = `"collection" must name a collection that accepts imports; ${got}.${near === undefined ? "" : ` Did you mean "${near}"?`}`;
  faults.push({ code: "INVALID_VALUE", detail, parameter: "collection", allowed: names, ...hintAt(near) });
  return undefined;
}

/** Rows are found by the id or by a unique field. The principal must be allowed to filter by it, since an import reveals which values exist. */
function validateMode(resource: Resource, principal: Principal, { mode, key }: ImportSettings, faults: Faults): void {
  const { idNames, clientIds, fields, model, operations, name } = resource;
  const missing = writeKinds({ mode }).filter((each) => !operations.has(each));
  if (missing.length > 0) {
    faults.push({
      code: "INVALID_VALUE",
      detail: `"mode=${mode}" is not possible: "${name}" has no ${missing.join(" and no ")}.`,
      parameter: "mode",
    });
  }
  if (key === undefined) return;
  const gate = gateFor(principal);
  const single = model.unique.flatMap((unique) => (unique.fields.length === 1 ? unique.fields : []));
  const ids = idNames.length === 1 || clientIds ? [idNames.join()] : [];
  const keys = [...ids, ...single].filter((each) =>
    keyNamesOf(resource, each).every((member) => gate(fields.get(member) as ResourceField, "filter") === "allowed"),
  );
  if (keys.includes(key)) return;
  const detail = `"key" must be a unique field: ${keys.join(" or ")}; got ${quote(key)}.`;
  faults.push({ code: "INVALID_VALUE", detail, parameter: "key", allowed: keys });
}

/** The fields that a key names: one, or the parts of a composite id, which are written with commas between them; empty without a key. */
function keyNamesOf({ idNames }: Resource, key: string | undefined): readonly string[] {
  if (key === undefined) return [];
  return key === idNames.join() ? idNames : [key];
}

/** @throws {ProblemError} FORBIDDEN, FORBIDDEN_FIELD, UNAUTHENTICATED, NOT_FOUND */
async function permitted(context: Context, { name: collection, idNames }: Resource, { mode, key }: ImportSettings): Promise<Context> {
  const { environment, principal, authRequest } = context;
  const ask = (action: Action) => permit(environment, { principal, authRequest, action, collection });
  const permits: Permit[] = [];
  for (const action of writeKinds({ mode })) permits.push(await ask(action));
  const isHeldBack = ({ fields }: Permit) => key !== undefined && fields?.includes(key) === false;
  // Who may write the key learns from a create too which values exist.
  if (key !== idNames.join() && permits.every(isHeldBack) && isHeldBack(await ask("list"))) {
    throw new ProblemError("FORBIDDEN_FIELD", `Not allowed to filter by "${key}".`);
  }
  return { ...context, permit: permits[0] as Permit, way: "import" };
}

/** The fields that the file may set. */
export function targetOf({ resource, settings, context }: ImportPlan): ImportTarget {
  return importTargetOf(resource, settings, gateFor(context.principal, context.permit.fields));
}

/**
 * Compiles how the rows of a file are read.
 *
 * @throws {ProblemError} for an invalid header: see {@link compileColumns}
 */
export function readerOf({ resource, settings, context }: ImportPlan, header: CsvHeader | undefined): ReadMembers {
  const target = targetOf({ resource, settings, context });
  if (header === undefined) return valueMembers(resource, settings, target);
  const { readDay } = context.environment.lists.query;
  const readRecord = compileColumns(header.names, target, settings, readDay, settings.formulas === "escaped" ? unescapeFormula : undefined);
  return cellMembers(resource, header.names, readRecord, context.environment.limits);
}

/**
 * Requires transactions for `onError=stop` and for a dry run.
 *
 * @throws {ProblemError} ATOMIC_UNSUPPORTED
 */
export function requireTransactions(plan: ImportPlan): void {
  const { settings, context, resource } = plan;
  const { onError, dryRun } = settings;
  const { environment } = context;
  if (onError === "stop" && hasEffects(plan)) {
    const why = `Creating in "${resource.name}" has effects that cannot be rolled back, so that "onError=stop" is not possible. Send "onError=continue".`;
    throw new ProblemError("ATOMIC_UNSUPPORTED", why);
  }
  if (environment.storage.transaction !== undefined || (onError === "continue" && !dryRun)) return;
  const what = onError === "stop" ? `"onError=stop" is not possible. Send "onError=continue"` : `a dry run is not possible. Remove "dryRun"`;
  throw new ProblemError("ATOMIC_UNSUPPORTED", `The storage has no transactions: ${what}.`);
}

/** Asks the rules that the rows of an import need, because none may be asked within its transaction. */
export async function prepareImport({ context, resource, settings }: ImportPlan): Promise<void> {
  await prepareWrite(context, resource, ...writeKinds(settings));
}

/** The operation ids of an import. */
export interface RowOperations {
  /** The operation id of a row, for storages without transactions. */
  readonly operationIdOf?: ((row: SourceRow) => string | undefined) | undefined;
  /** The operation id of the import, for effects. Without it rows are written without their effects, as in a dry run. */
  readonly effectsUnder?: string | undefined;
}

export function workOf(plan: ImportPlan, read: ReadMembers, { operationIdOf, effectsUnder }: RowOperations = {}): ImportWork {
  const { resource, settings, context } = plan;
  const inner: Context = { ...context, joins: [] };
  const names = keyNamesOf(resource, settings.key);
  const effect = effectsUnder === undefined || !hasEffects(plan) ? undefined : effectOf(resource, inner, effectsUnder);
  const key = names.length > 1 ? resource.id : resource.fields.get(names[0] ?? "");
  return key === undefined
    ? insertWork({ resource, context: inner, read, operationIdOf, effect })
    : mergeWork({ resource, context: inner, read, key, names, settings, effect });
}

/** The fields of a collection that one principal may set by an import. */
function importTargetOf(resource: Resource, { mode, key }: Pick<ImportSettings, "mode" | "key">, gate: Gate): ImportTarget {
  const names = keyNamesOf(resource, key);
  const settable = [...resource.fields.values()].filter(
    (field) => names.includes(field.name) || (!isFixed(resource, field) && gate(field, "write") === "allowed"),
  );
  const fields = new Map(settable.map((field) => [field.name, field]));
  const needed = mode === "update" ? [] : settable.filter((field) => isRequired(field)).map(({ name }) => name);
  return {
    fields,
    required: [...new Set([...names, ...needed])],
    isPartial: mode === "update",
    refuse: (name) => refusal(resource, name, gate),
  };
}

/** Whether only the server sets the field, even in an import. */
function isFixed(resource: Resource, { name, generator, readOnly }: ResourceField): boolean {
  return readOnly || (generator !== undefined && resource.import?.generated.has(name) !== true);
}

function isRequired({ optional, hasDefault, generator }: ResourceField): boolean {
  return !optional && !hasDefault && generator === undefined;
}

/** The refusal of a column; a column of a member is refused like its field. */
function refusal(resource: Resource, name: string, gate: Gate): Pick<ProblemItem, "code" | "detail"> | undefined {
  const field = resource.fields.get(name.split(".", 1)[0] ?? name);
  if (field === undefined || (gate(field, "write") === "hidden" && gate(field, "read") !== "allowed")) return undefined;
  if (isFixed(resource, field)) {
    const detail = `The column ${quote(name)} is set by the server; remove it, or send "unknownColumns=ignore".`;
    return { code: "UNKNOWN_COLUMN", detail };
  }
  return gate(field, "write") === "forbidden" ? { code: "FORBIDDEN_FIELD", detail: `Not allowed to write "${field.name}".` } : undefined;
}
