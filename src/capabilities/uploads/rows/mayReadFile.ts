import { type Context, readCall } from "../../../engine/operation/context.js";
import { tryPermit } from "../../../engine/operation/permit.js";
import { readableRows } from "../../../engine/operation/rules/readableRows.js";
import { schemaEnvironment } from "../../../engine/operation/schemaEnvironment.js";
import { parseKey } from "../../../engine/resource/read/identify.js";
import type { LinkedResource } from "../../../engine/resource/relations/link.js";
import type { Row } from "../../../ground/storage/collection.js";
import { anyOf } from "../../../ground/storage/filterParts.js";
import { gateFor } from "../../../language/schema/access.js";
import { isAdminOf, isOwner } from "../records/find.js";
import type { UploadSettings } from "../records/settings.js";
import type { FileClaim, Upload } from "../records/upload.js";

/**
 * Whether a principal may read a private file without a signed address: its owner until a row holds it, then those who may read the row and the field, and
 * administrators of its tenant in either case.
 */
export async function mayReadFile(settings: Pick<UploadSettings, "resources" | "isAdmin">, upload: Upload, context: Context): Promise<boolean> {
  const { claim } = upload.data;
  if (isAdminOf(settings, upload, context)) return true;
  if (claim === undefined) return isOwner(upload, context);
  const linked = settings.resources.get(claim.collection);
  if (linked === undefined || !isShownTo(linked, upload, context) || !(await mayReadField(linked, claim, context))) return false;
  const row = await findHolder(linked, claim, upload.record.id, context);
  return row?.[claim.field] === upload.record.id;
}

/** Whether clients can read rows of the collection, and those of the file's tenant among them. */
function isShownTo({ resource: { operations, cache, model } }: LinkedResource, { record }: Upload, { principal }: Context): boolean {
  const isShared = cache?.shared === true || model.table?.options.tenant === "shared";
  return (operations.has("read") || operations.has("list")) && (isShared || record.tenant === principal.tenant);
}

async function mayReadField({ name, fields }: LinkedResource, claim: FileClaim, { environment, principal }: Context): Promise<boolean> {
  const field = fields.get(claim.field);
  const permit = field && (await tryPermit(environment, { principal, action: "read", collection: name }));
  return field !== undefined && permit !== undefined && gateFor(principal, permit.fields)(field, "read") === "allowed";
}

/** The row that has claimed a file, if the principal may read it. */
async function findHolder({ name, resource }: LinkedResource, claim: FileClaim, file: string, context: Context): Promise<Row | undefined> {
  const { scopes } = context;
  const rows = await readableRows({ environment: schemaEnvironment(context.environment), scopes }, name);
  const call = readCall(context);
  if (claim.row === undefined) return (await rows.find({ filter: anyOf([claim.field], [file]), sort: [], limit: 1 }, call))[0];
  const id = await parseKey(resource.id, claim.row);
  return id === undefined ? undefined : rows.get(id, call);
}
