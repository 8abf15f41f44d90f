import type { Context, Env, MiddlewareHandler } from "hono";
import type { HttpResponse } from "../../src/http/message.js";
import { createGuard, type GuardedOperation } from "../../src/idempotency/guard.js";
import { honoAnswer, replaceAnswer, sendAnswer } from "./honoAnswer.js";
import { honoGuarded } from "./honoGuarded.js";
import { checkedLimit, type IdempotentOptions } from "./options.js";

declare module "hono" {
  interface ContextVariableMap {
    /** Under an Idempotency-Key: tells this operation from every other, the same in each try. */
    operationId: string | undefined;
  }
}

/**
 * A middleware for Hono that lets the handlers behind it act once for all requests with one Idempotency-Key.
 *
 * @throws {ConfigurationError} for options that cannot be
 * @example
 * app.post("/charges", idempotent({ store, principal: (context) => ({ id: context.get("user").id }) }), charge);
 */
export function idempotent<E extends Env = Env>(options: IdempotentOptions<Context<E>>): MiddlewareHandler<E> {
  const guard = createGuard(options);
  const limitBytes = checkedLimit(options);
  return async (context, next) => {
    // A copy: the headers of an answer that is yet to come are shared by all who set some.
    const before = new Headers(context.newResponse(null).headers);
    let own: HttpResponse | undefined;
    const run = async ({ operationId }: GuardedOperation) => {
      context.set("operationId", operationId);
      await next();
      own = await honoAnswer(context, before);
      return own;
    };
    const response = await guard(
      honoGuarded(context, limitBytes, () => options.principal(context)),
      run,
    );
    if (response === undefined) await next();
    else if (own === undefined) return sendAnswer(context, response);
    else if (response !== own) replaceAnswer(context, before, response);
    return undefined;
  };
}
