import { describeRows, keyInPath, one } from "../../engine/description/describeRows.js";
import { describeService } from "../../engine/description/describeService.js";
import type { DescribeOperation, Describing } from "../../engine/description/describing.js";
import type { OperationDescription } from "../../engine/operation/description.js";
import type { Operation } from "../../engine/operation/operation.js";
import { collectionOf } from "./documented.js";

/**
 * What a document says of an operation.
 *
 * @param describers those of the capabilities of the service
 */
export function describeOperation(describing: Describing, operation: Operation, describers: readonly DescribeOperation[]): OperationDescription {
  if (operation.description !== undefined) return operation.description;
  const linked = collectionOf(describing, operation);
  const above = keyInPath(describing, operation);
  for (const describe of [...describers, describeRows, describeService]) {
    const description = describe(describing, operation, linked);
    if (description !== undefined)
      return above === undefined ? description : { ...description, summary: `${description.summary} of ${one(above.parent)}` };
  }
  return { summary: operation.name, answers: [{ status: 200, text: "Done." }] };
}
