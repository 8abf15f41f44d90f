import type { Context } from "../../engine/operation/context.js";
import type { Environment } from "../../engine/operation/environment.js";
import { schemaEnvironment } from "../../engine/operation/schemaEnvironment.js";
import { commit } from "../../engine/operation/write/commit.js";
import type { Responded } from "../../engine/resource/actions.js";
import type { Storage } from "../../ground/storage/storage.js";
import type { CompiledAction } from "./action.js";
import { validated } from "./output.js";
import { isResponded } from "./respond.js";
import { type ActionResult, runAction } from "./runAction.js";

/** An action on a collection, for one caller. */
export interface CollectionTarget {
  readonly action: CompiledAction;
  /** The environment of the service, outside of transactions and versions. */
  readonly service: Environment;
  readonly context: Context;
  readonly operationId: string;
}

/**
 * Runs an action on a collection: a POST in a transaction, a GET without one.
 *
 * @param answer makes the answer within the transaction, so that nothing is committed if it fails
 * @throws {ProblemError} HOOK_TIMEOUT, and those of the action
 */
export async function actOnCollection<Answer>(
  { action, service, context, operationId }: CollectionTarget,
  input: unknown,
  answer: (responded: Responded) => Promise<Answer>,
): Promise<Answer> {
  const { environment } = context;
  const inner: Context = { ...context, environment: schemaEnvironment(environment), way: "action", operationId };
  const run = (tx: Storage) => runAction(action, { service, context: inner, operationId, tx, input });
  if (action.method === "GET") return answer(await respondedBy(action, await run(environment.storage)));
  const act = async (tx: Storage | undefined) => {
    if (tx === undefined) throw new Error("An action began without its transaction.");
    const result = await run(tx);
    const responded = await respondedBy(action, result);
    await result.enqueue();
    return { response: await answer(responded) };
  };
  return (await commit(context, act, { needsTransaction: true, isolation: action.isolation })).response;
}

/** A value that the action returns is its answer. */
async function respondedBy(action: CompiledAction, { returned }: ActionResult): Promise<Responded> {
  if (isResponded(returned)) return validated(action, returned);
  return validated(action, { value: returned, status: returned === undefined ? 204 : 200, headers: {} });
}
