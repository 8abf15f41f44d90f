import type { Principal } from "../auth/verifier.js";
import type { Context } from "../operation/context.js";
import { permit } from "../operation/permit.js";
import { ProblemError, problemOf } from "../problem/index.js";
import { type Faults, hintAt, quoted } from "../query/fault.js";
import { closest } from "../query/hint.js";
import type { LinkedResource } from "../resource/link.js";
import type { Resource } from "../resource/resource.js";
import { gateFor } from "../schema/access.js";
import { compileColumns, type ImportTarget } from "./columns.js";
import { unescapeFormula } from "./formats/formula.js";
import type { CsvHeader } from "./formats/readHeader.js";
import { importTargetOf } from "./importTarget.js";
import type { ImportWork } from "./importWork.js";
import { insertWork } from "./insertWork.js";
import { cellMembers, type ReadMembers, valueMembers } from "./members.js";
import { mergeWork } from "./mergeWork.js";
import type { SourceRow } from "./rows.js";
import type { ImportSettings } from "./settings.js";

/** An import that was understood, of a collection that takes it, for a principal who may. */
export interface ImportPlan {
  readonly resource: Resource;
  readonly settings: ImportSettings;
  /** With what the principal was permitted. */
  readonly context: Context;
}

/** Whether files can be imported into a collection at all. */
export function isImportable({ import: settings, operations, create }: Resource): boolean {
  return settings !== undefined && create === undefined && (operations.has("create") || operations.has("update"));
}

/**
 * Judges what an import is to do, and asks whether its principal may do it.
 *
 * @param faults what was wrong with the request so far
 * @throws {ProblemError} 400 with all that was wrong; FORBIDDEN, UNAUTHENTICATED, NOT_FOUND
 */
export async function planImport(
  context: Context,
  resources: ReadonlyMap<string, LinkedResource>,
  { collection, settings }: { readonly collection: string | undefined; readonly settings: ImportSettings },
  faults: Faults = [],
): Promise<ImportPlan> {
  const resource = importableOf(collection, resources, faults);
  if (resource !== undefined) judgeMode(resource, context.principal, settings, faults);
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
  const got = name === undefined ? "it is missing" : `got ${quoted(name)}`;
  const detail = `"collection" must name a collection that takes imports; ${got}.${near === undefined ? "" : ` Did you mean "${near}"?`}`;
  faults.push({ code: "INVALID_VALUE", detail, parameter: "collection", allowed: names, ...hintAt(near) });
  return undefined;
}

/** Rows are found by the id, or by a unique key of one field. Whoever may not look for a field's values must not learn which there are. */
function judgeMode({ id, fields, model, operations, name }: Resource, principal: Principal, { mode, key }: ImportSettings, faults: Faults): void {
  const missing = (["create", "update"] as const).filter((each) => needs(mode).includes(each) && !operations.has(each));
  if (missing.length > 0) {
    faults.push({
      code: "INVALID_VALUE",
      detail: `"mode=${mode}" is not possible: "${name}" has no ${missing.join(" and no ")}.`,
      parameter: "mode",
    });
  }
  if (key === undefined) return;
  const gate = gateFor(principal);
  const keys = [id.name, ...model.unique.flatMap((unique) => (unique.fields.length === 1 ? unique.fields : []))].filter((each) => {
    const field = fields.get(each);
    return field !== undefined && gate(field, "filter") === "allowed";
  });
  if (keys.includes(key)) return;
  const detail = `"key" must be a field that no two rows share: ${keys.join(" or ")}; got ${quoted(key)}.`;
  faults.push({ code: "INVALID_VALUE", detail, parameter: "key", allowed: keys });
}

function needs(mode: ImportSettings["mode"]): readonly ("create" | "update")[] {
  return mode === "insert" ? ["create"] : mode === "update" ? ["update"] : ["create", "update"];
}

async function permitted(context: Context, { name: collection }: Resource, { mode }: ImportSettings): Promise<Context> {
  const { environment, principal, authRequest } = context;
  const [first, ...others] = needs(mode);
  const allowed = await permit(environment, { principal, authRequest, action: first ?? "create", collection });
  for (const action of others) await permit(environment, { principal, authRequest, action, collection });
  return { ...context, permit: allowed };
}

/** The fields that the file may set. */
export function targetOf({ resource, settings, context }: ImportPlan): ImportTarget {
  return importTargetOf(resource, settings, gateFor(context.principal, context.permit.fields));
}

/**
 * How the rows of a file are read.
 *
 * @throws {ProblemError} for a header that does not fit: see {@link compileColumns}
 */
export function readerOf({ resource, settings, context }: ImportPlan, header: CsvHeader | undefined): ReadMembers {
  const target = targetOf({ resource, settings, context });
  if (header === undefined) return valueMembers(resource, settings, target);
  const readRecord = compileColumns(header.names, target, settings, settings.formulas === "escaped" ? unescapeFormula : undefined);
  return cellMembers(resource, header.names, readRecord);
}

/**
 * What is all or none, or is only tried, needs something that can be taken back.
 *
 * @throws {ProblemError} ATOMIC_UNSUPPORTED
 */
export function requireTransactions({ settings: { onError, dryRun }, context: { environment } }: ImportPlan): void {
  if (environment.storage.transaction !== undefined || (onError === "continue" && !dryRun)) return;
  const what = onError === "stop" ? `no import can be all or none. Send "onError=continue"` : `none can be taken back. Leave "dryRun" out`;
  throw new ProblemError("ATOMIC_UNSUPPORTED", `The storage has no transactions: ${what}.`);
}

/** @param operationIdOf where no transaction keeps what was done */
export function workOf(plan: ImportPlan, read: ReadMembers, operationIdOf?: (row: SourceRow) => string | undefined): ImportWork {
  const { resource, settings, context } = plan;
  const inner: Context = { ...context, joins: [] };
  const key = settings.key === undefined ? undefined : resource.fields.get(settings.key);
  return key === undefined ? insertWork(resource, inner, read, operationIdOf) : mergeWork({ resource, context: inner, read, key, settings });
}
