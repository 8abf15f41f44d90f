import type { IncomingMessage, ServerResponse } from "node:http";
import type { Identifying, Principal } from "../src/engine/service/identified.js";
import type { Handle } from "../src/ground/http/message.js";
import { splitTarget } from "../src/ground/http/target.js";
import { nodeAnswer } from "./hosts/nodeAnswer.js";
import { nodeRequest } from "./hosts/nodeMessage.js";
import { sendResponse } from "./hosts/nodeResponse.js";

export { type IdempotentExpressRequest, idempotent } from "./hosts/idempotency/express.js";
export type { IdempotentOptions } from "./hosts/idempotency/options.js";

declare global {
  namespace Express {
    interface Request {
      /** Behind `requirePrincipal`: who sends the request. */
      principal?: Principal | undefined;
    }
  }
}

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
    const target = { ...splitTarget(incoming.url), mount: incoming.baseUrl };
    const exchange = { incoming, outgoing, native: incoming };
    const request = nodeRequest(exchange, target, incoming.body);
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

/** What `requirePrincipal` reads and sets of Express's request. */
export interface IdentifiedExpressRequest extends IncomingMessage {
  readonly originalUrl: string;
  body?: unknown;
  principal?: Principal | undefined;
}

/**
 * A handler for Express before routes of your own: they find who sends the request in `request.principal`. A request without valid credentials is answered as the service does.
 *
 * @example
 * app.get("/reports/:id", requirePrincipal(service), (request, response) => response.json(reportFor(request.principal)));
 */
export function requirePrincipal(
  service: Identifying,
): (incoming: IdentifiedExpressRequest, outgoing: ServerResponse, next: (error?: unknown) => void) => void {
  return (incoming, outgoing, next) => {
    const exchange = { incoming, outgoing, native: incoming };
    const request = nodeRequest(exchange, { ...splitTarget(incoming.originalUrl), mount: "" }, incoming.body);
    const identify = async () => {
      const { principal, answer } = await service.identify(request);
      if (answer !== undefined) return sendResponse(outgoing, await nodeAnswer(exchange, request, answer));
      incoming.principal = principal;
      return next();
    };
    identify().catch(next);
  };
}
