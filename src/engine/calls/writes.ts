import { instanceName, isObject, isPlainObject } from "../../ground/http/isObject.js";
import { checkJson } from "../../ground/http/json/checkJson.js";
import { ConfigurationError } from "../../ground/problem/index.js";
import type { Row } from "../../ground/storage/collection.js";
import { pickMembers } from "../../ground/storage/compositeId.js";
import type { Id } from "../../ground/storage/values/scalar.js";
import type { Context } from "../operation/context.js";
import { noSuchRow, parseId } from "../resource/read/identify.js";
import { singleView } from "../resource/read/respond.js";
import type { Resource } from "../resource/resource.js";
import type { Change } from "../resource/write/change.js";
import { type CreateAnswer, createRow } from "../resource/write/create.js";
import type { Patch } from "../resource/write/patch.js";
import { permitFields } from "../resource/write/permitFields.js";
import { removeRow } from "../resource/write/remove.js";
import { replaceRow } from "../resource/write/replace.js";
import { mergePatchOf, patchRow } from "../resource/write/update.js";
import { type Caller, type CallParts, callContext } from "./caller.js";
import type { CallId, CallRow, Changes, CreateOptions, WriteOptions } from "./collectionCalls.js";
import { idText } from "./reads.js";
import { etagOf } from "./rowTags.js";

/** A new row. @throws {ProblemError} VALIDATION_FAILED, FORBIDDEN, FORBIDDEN_FIELD, DUPLICATE_<FIELD>, UNKNOWN_REFERENCE */
export async function createCall(caller: Caller, resource: Resource, row: unknown, { operationId }: CreateOptions): Promise<CallRow> {
  const context = await callContext(caller, { method: "POST", action: "create", collection: resource.name, operationId });
  return createRow(withoutEffect(caller, resource), context, bodyOf(context, row), createdRow(resource, context));
}

/** A changed row. @throws {ProblemError} NOT_FOUND, FORBIDDEN, VALIDATION_FAILED, PRECONDITION_FAILED, WRITE_CONFLICT, DUPLICATE_<FIELD> */
export async function updateCall(caller: Caller, resource: Resource, id: CallId, changes: Changes, options: WriteOptions): Promise<CallRow> {
  const context = await callContext(caller, { method: "PATCH", action: "update", collection: resource.name, ...conditionOf(options) });
  const key = await parseId(resource, idText(resource, id));
  if (typeof changes !== "function") {
    return patchRow(resource, context, key, mergePatchOf(resource, context, bodyOf(context, changes)), changedRow(resource));
  }
  // The function sees the version that is written, so no other condition is required.
  const patched = resource.requireIfMatch ? { ...resource, requireIfMatch: false } : resource;
  return patchRow(patched, context, key, patchBy(resource, context, changes), changedRow(resource));
}

const maxRetries = 3;

/** A patch that a function makes of the row. `authorize` is asked for its fields when they are known. */
function patchBy(resource: Resource, context: Context, change: Exclude<Changes, Readonly<CallRow>>): Patch {
  return {
    fields: [],
    maxRetries,
    readsRow: true,
    async apply(row, permit) {
      const changes = await change(singleView(resource, context, permit).select(row));
      const patch = mergePatchOf(resource, context, bodyOf(context, changes ?? {}));
      const allowed = await permitFields(context, resource, "update", patch.fields);
      if (allowed === undefined) throw noSuchRow(resource, row[resource.id.name] as Id);
      return patch.apply(row, allowed);
    },
  };
}

/** A replaced row, or a new one if clients choose ids. @throws {ProblemError} as {@link updateCall} */
export async function replaceCall(caller: Caller, resource: Resource, id: CallId, row: unknown, options: WriteOptions): Promise<CallRow> {
  const context = await callContext(caller, { method: "PUT", action: "replace", collection: resource.name, ...conditionOf(options) });
  const key = await parseId(resource, idText(resource, id));
  return replaceRow(
    withoutEffect(caller, resource),
    context,
    { id: key, body: bodyOf(context, row) },
    changedRow(resource),
    createdRow(resource, context),
  );
}

/** Removes a row. @throws {ProblemError} NOT_FOUND, FORBIDDEN, PRECONDITION_FAILED, WRITE_CONFLICT, ROW_IN_USE */
export async function removeCall(caller: Caller, resource: Resource, id: CallId, options: WriteOptions): Promise<void> {
  const context = await callContext(caller, { method: "DELETE", action: "remove", collection: resource.name, ...conditionOf(options) });
  const key = await parseId(resource, idText(resource, id));
  const nothing = () => null;
  await removeRow(resource, context, key, { done: nothing, absent: nothing });
}

function createdRow(resource: Resource, context: Context): CreateAnswer<CallRow> {
  return (row, allowed, isHidden) => (isHidden ? onlyId(resource, row) : singleView(resource, context, allowed).select(row));
}

function changedRow(resource: Resource): Change<CallRow>["done"] {
  return (row, view, isHidden) => (isHidden ? onlyId(resource, row) : view.select(row));
}

/** What is known of a row that the principal may not read after its write. */
export function onlyId({ idNames }: Resource, row: Row): CallRow {
  return pickMembers(row, idNames);
}

/** An effect elsewhere would not be undone with the transaction, and the transaction would wait for it. */
function withoutEffect({ isInTransaction }: Caller, resource: Resource): Resource {
  if (!isInTransaction || resource.create === undefined) return resource;
  const create = () => {
    throw new ConfigurationError(`"${resource.name}" has "create", whose effect cannot be part of a transaction; create the row outside of it.`);
  };
  return { ...resource, create };
}

function conditionOf({ ifMatch }: WriteOptions): Pick<CallParts, "ifMatch"> {
  return { ifMatch: typeof ifMatch === "object" ? etagOf(ifMatch) : ifMatch };
}

/** What code gives as a body. JSON has no `undefined`, so such members are left out; text is checked as that of a request. */
function bodyOf({ environment }: Context, given: unknown): unknown {
  if (!isObject(given)) return given;
  if (!isPlainObject(given)) throw new ConfigurationError(`A row must be a plain object; ${instanceName(given)} may hide its members.`);
  const body = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  checkJson(body, { depth: environment.limits.jsonDepth, members: Number.POSITIVE_INFINITY, values: Number.POSITIVE_INFINITY });
  return body;
}
