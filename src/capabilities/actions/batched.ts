import type { Environment } from "../../engine/operation/environment.js";
import { stableIdOf } from "../../engine/operation/ids/stableId.js";
import type { BatchedAction } from "../../engine/resource/batchedAction.js";
import type { Resource } from "../../engine/resource/resource.js";
import { pointer } from "../../ground/http/pointer.js";
import { ProblemError } from "../../ground/problem/index.js";
import type { CompiledAction } from "./action.js";
import { askActionRules } from "./actionRules.js";
import { performRowAction, RowChanged, type RowTarget } from "./rowAction.js";

/** An action on a row, for batches. @param resource as the version of the API shows it */
export function batchedAction(action: CompiledAction, resource: Resource, service: Environment): BatchedAction {
  return {
    name: action.name,
    askRules: (context) => askActionRules(context, action),
    async prepare(context, { id, input, member }) {
      const read = await action.input.read(input).then(
        (value) => async () => value,
        (error: unknown) => async () => {
          throw error instanceof ProblemError ? belowMember(error, member) : error;
        },
      );
      const target: RowTarget = { action, resource, service, context, id, operationId: stableIdOf(context), readInput: read };
      return (tx) => performRowAction(target, read, tx);
    },
    isChange: (error) => error instanceof RowChanged,
  };
}

/** The same problem, with pointers from the item of the batch. */
function belowMember(problem: ProblemError, member: string): ProblemError {
  const { code, message, status } = problem;
  const errors = problem.errors.map((item) => ({ ...item, pointer: `${pointer([member])}${item.pointer ?? ""}` }));
  return new ProblemError(code, message, { status, errors });
}
