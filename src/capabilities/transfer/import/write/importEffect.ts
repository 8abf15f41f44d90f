import type { Context } from "../../../../engine/operation/context.js";
import type { Resource } from "../../../../engine/resource/resource.js";
import { withEffect } from "../../../../engine/resource/write/withEffect.js";
import { isRefusal } from "../../../../ground/problem/index.js";
import type { Row } from "../../../../ground/storage/collection.js";
import type { SourceRow } from "../../rows.js";
import { type FailedRow, failedRow, faultsOf } from "./rowResult.js";

/** Runs the developer's effect for a new row, before its transaction; a refusal fails the row. */
export type RowEffect = (row: SourceRow, values: Row) => Promise<{ readonly values: Row } | FailedRow>;

/**
 * The effect of creating rows. Each row has its own operation id, which is the same in every attempt. Returns `undefined` if the resource has no `create`.
 *
 * @param operationId the operation id of the import
 */
export function effectOf(resource: Resource, context: Context, operationId: string): RowEffect | undefined {
  const { create } = resource;
  if (create === undefined) return undefined;
  return async (row, values) => {
    try {
      return { values: await withEffect(resource, create, { ...context, operationId: `${operationId}:${row.row}` }, values) };
    } catch (error) {
      if (isRefusal(error)) return failedRow(row, ...faultsOf(error));
      throw error;
    }
  };
}
