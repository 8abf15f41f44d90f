import type { IncomingMessage, ServerResponse } from "node:http";
import { splitTarget } from "../../src/http/target.js";
import { createGuard, type GuardedOperation } from "../../src/idempotency/guard.js";
import { nodeAnswer } from "../nodeAnswer.js";
import { nodeRequest } from "../nodeMessage.js";
import { sendResponse } from "../nodeResponse.js";
import { HeldResponse } from "./heldResponse.js";
import { nodeGuarded } from "./nodeGuarded.js";
import { checkedLimit, type IdempotentOptions } from "./options.js";

declare global {
  namespace Express {
    interface Request {
      /** Under an Idempotency-Key: tells this operation from every other, the same in each try. */
      operationId?: string | undefined;
    }
  }
}

/** What the guard reads and sets of Express's request. */
export interface IdempotentExpressRequest extends IncomingMessage {
  readonly originalUrl: string;
  body?: unknown;
  operationId?: string | undefined;
}

/**
 * A handler for Express that lets the handlers behind it act once for all requests with one Idempotency-Key.
 *
 * @throws {ConfigurationError} for options that cannot be
 * @example
 * app.post("/charges", idempotent({ store, principal: (request) => ({ id: request.user.id }) }), charge);
 */
export function idempotent<Request extends IdempotentExpressRequest = IdempotentExpressRequest & Express.Request>(
  options: IdempotentOptions<Request>,
): (incoming: Request, outgoing: ServerResponse, next: (error?: unknown) => void) => void {
  const guard = createGuard(options);
  const limitBytes = checkedLimit(options);
  return (incoming, outgoing, next) => {
    const exchange = { incoming, outgoing, native: incoming };
    const request = nodeRequest(exchange, { ...splitTarget(incoming.originalUrl), mount: "" }, incoming.body);
    let held: HeldResponse | undefined;
    const run = ({ operationId }: GuardedOperation) => {
      incoming.operationId = operationId;
      held = new HeldResponse(outgoing);
      next();
      return held.answered;
    };
    const answer = async () => {
      const response = await guard(
        nodeGuarded(request, incoming, limitBytes, () => options.principal(incoming)),
        run,
      );
      if (response === undefined) return next();
      if (held?.isOwn(response)) return held.release();
      const wired = await nodeAnswer(exchange, request, response);
      const send = () => void sendResponse(outgoing, wired).catch((error: unknown) => outgoing.destroy(error instanceof Error ? error : undefined));
      if (held === undefined) send();
      else held.replace(send);
    };
    answer().catch((error: unknown) => {
      if (held === undefined) next(error);
      // The handlers behind us have had their turn, and no error page can follow.
      else outgoing.destroy();
    });
  };
}
