import type { Row } from "../../../ground/storage/collection.js";
import type { Id } from "../../../ground/storage/values/scalar.js";
import type { Context } from "../../operation/context.js";
import type { Operation } from "../../operation/operation.js";
import { permit } from "../../operation/permit.js";
import { prepareWrite } from "../../operation/rules/prepareWrite.js";
import { noSuchRow } from "../read/identify.js";
import { otherParent, type PathKey } from "../read/pathKey.js";
import { singleView } from "../read/respond.js";
import type { Resource } from "../resource.js";
import { permitFields } from "./permitFields.js";
import { requirePreconditions } from "./preconditions.js";
import { requireChangeable } from "./requireChangeable.js";

/**
 * Refuses a PUT or PATCH whose body names another parent, but only after the checks that come before the body: a row that is
 * missing or hidden, permission, preconditions.
 *
 * @param row The current row; `undefined` if there is none.
 * @throws {ProblemError} NOT_FOUND, FORBIDDEN, PRECONDITION_REQUIRED, PRECONDITION_FAILED, READ_ONLY_FIELD
 */
export async function refuseOtherParent(
  resource: Resource,
  context: Context,
  { method, access }: Operation,
  { row, id, pathKey }: { readonly row: Row | undefined; readonly id: Id; readonly pathKey: PathKey },
): Promise<never> {
  const { environment, principal, authRequest, body } = context;
  if (row === undefined && !(method === "PUT" && resource.clientIds)) throw noSuchRow(resource, id);
  const fields = Object.keys(body as Readonly<Record<string, unknown>>);
  const allowed =
    row === undefined
      ? await permit(environment, { principal, authRequest, action: "create", collection: resource.name, fields })
      : await permitFields(context, resource, access?.action ?? "update", fields);
  if (allowed === undefined) throw noSuchRow(resource, id);
  await prepareWrite(context, resource, "update");
  if (row !== undefined) await requireChangeable(context, resource, "update", row);
  await requirePreconditions(context, resource, row, singleView(resource, context, allowed));
  throw otherParent(pathKey);
}
