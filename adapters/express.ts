import type { IncomingMessage, ServerResponse } from "node:http";
import type { Handle } from "../src/http/message.js";
import { splitTarget } from "../src/http/target.js";
import { nodeAnswer } from "./nodeAnswer.js";
import { nodeRequest } from "./nodeMessage.js";
import { sendResponse } from "./nodeResponse.js";

export { type IdempotentExpressRequest, idempotent } from "./idempotency/express.js";
export type { IdempotentOptions } from "./idempotency/options.js";

/** What the handler reads of Express's request. */
export interface ExpressRequest extends IncomingMessage {
  /** The target below the mount. */
  url: string;
  /** The prefix that Express has cut from it. */
  baseUrl: string;
  body?: unknown;
}

/**
 * A handler for Express. It passes paths that the service does not serve to the next handler.
 *
 * @example
 * app.use("/v1", expressHandler(service));
 */
export function expressHandler(service: {
  readonly handle: Handle;
}): (incoming: ExpressRequest, outgoing: ServerResponse, next: (error?: unknown) => void) => void {
  return (incoming, outgoing, next) => {
    const place = { ...splitTarget(incoming.url), mount: incoming.baseUrl };
    const exchange = { incoming, outgoing, native: incoming };
    const request = nodeRequest(exchange, place, incoming.body);
    const answer = async () => {
      const response = await service.handle(request);
      if (response === undefined) {
        return next();
      }
      await sendResponse(outgoing, await nodeAnswer(exchange, request, response));
    };
    answer().catch(next);
  };
}
