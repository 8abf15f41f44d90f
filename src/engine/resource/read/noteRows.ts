import type { Row } from "../../../ground/storage/collection.js";
import type { Id } from "../../../ground/storage/values/scalar.js";
import type { Context } from "../../operation/context.js";
import type { LinkedResource } from "../relations/link.js";

/** Notes the rows that an answer under an Idempotency-Key shows. */
export function noteRows({ shown }: Context, { name, resource }: LinkedResource, rows: readonly Row[]): void {
  if (shown !== undefined) for (const row of rows) shown.add(name, row[resource.model.id] as Id);
}
