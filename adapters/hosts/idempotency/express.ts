import type { IncomingMessage, ServerResponse } from "node:http";
import { splitTarget } from "../../../src/ground/http/target.js";
import type { GuardedOperation } from "../../../src/parts/idempotency/guard.js";
import { nodeAnswer } from "../nodeAnswer.js";
import { nodeRequest } from "../nodeMessage.js";
import { sendResponse } from "../nodeResponse.js";
import { HeldResponse } from "./heldResponse.js";
import { nodeGuarded } from "./nodeGuarded.js";
import { guardOf, type IdempotentOptions } from "./options.js";

declare global {
  namespace Express {
    interface Request {
      /** With an Idempotency-Key: the id of the operation, the same in each attempt. */
      operationId?: string | undefined;
    }
  }
}

/** The members of Express's request that the guard reads and sets. */
export interface IdempotentExpressRequest extends IncomingMessage {
  readonly originalUrl: string;
  body?: unknown;
  operationId?: string | undefined;
}

/**
 * A handler for Express that runs the handlers after it once for all requests with the same Idempotency-Key.
 *
 * @throws {ConfigurationError} if the options are invalid
 * @example
 * app.post("/charges", idempotent({ store, principal: (request) => ({ id: request.user.id }) }), charge);
 */
export function idempotent<Request extends IdempotentExpressRequest = IdempotentExpressRequest & Express.Request>(
  options: IdempotentOptions<Request>,
): (incoming: Request, outgoing: ServerResponse, next: (error?: unknown) => void) => void {
  const { guard, limitBytes } = guardOf(options);
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
      // The handlers already ran, so Express cannot send an error page.
      else outgoing.destroy();
    });
  };
}
