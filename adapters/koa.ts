import type { IncomingMessage, ServerResponse } from "node:http";
import type { Identifying } from "../src/engine/service/identified.js";
import type { Handle, HttpResponse } from "../src/ground/http/message.js";
import { splitTarget } from "../src/ground/http/target.js";
import { koaBody } from "./hosts/koaBody.js";
import { targetBelowOriginal } from "./hosts/mountedTarget.js";
import { nodeAnswer } from "./hosts/nodeAnswer.js";
import { nodeRequest } from "./hosts/nodeMessage.js";
import { setHeaders } from "./hosts/nodeResponse.js";

export { type IdempotentKoaContext, idempotent } from "./hosts/idempotency/koa.js";
export type { IdempotentOptions } from "./hosts/idempotency/options.js";

/** The members of Koa's context that the middleware reads and sets. */
export interface KoaContext {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  /** Body parsers put `body` here; `context.body` is the response. */
  readonly request: object;
  readonly originalUrl: string;
  url: string;
  status: number;
  body: unknown;
}

/**
 * A middleware for Koa. It passes paths that the service does not serve to the next one.
 *
 * @example
 * app.use(mount("/v1", koaMiddleware(service)));
 */
export function koaMiddleware(service: { readonly handle: Handle }): (context: KoaContext, next: () => Promise<unknown>) => Promise<void> {
  return async (context, next) => {
    const exchange = { incoming: context.req, outgoing: context.res, native: context };
    const target = targetBelowOriginal(context.url, context.originalUrl);
    const request = nodeRequest(exchange, target, parsedBody(context.request));
    const response = await service.handle(request);
    if (response === undefined) {
      await next();
    } else {
      send(context, await nodeAnswer(exchange, request, response));
    }
  };
}

/**
 * A middleware for Koa before routes of your own: they find who sends the request in `context.state.principal`. A request without valid credentials is answered as the service
 * does.
 *
 * @example
 * router.get("/reports/:id", requirePrincipal(service), (context) => { context.body = reportFor(context.state.principal); });
 */
export function requirePrincipal(
  service: Identifying,
): (context: KoaContext & { readonly state: object }, next: () => Promise<unknown>) => Promise<void> {
  return async (context, next) => {
    const exchange = { incoming: context.req, outgoing: context.res, native: context };
    const request = nodeRequest(exchange, { ...splitTarget(context.originalUrl), mount: "" }, parsedBody(context.request));
    const { principal, answer } = await service.identify(request);
    if (answer !== undefined) return send(context, await nodeAnswer(exchange, request, answer));
    Object.assign(context.state, { principal });
    await next();
  };
}

function parsedBody(request: object): unknown {
  return "body" in request ? request.body : undefined;
}

function send(context: KoaContext, { status, headers, body }: HttpResponse): void {
  // Koa turns an empty body into a 204 unless a status was set before.
  context.status = body === null ? 204 : status;
  context.body = koaBody(body);
  context.status = status;
  setHeaders(context.res, headers);
}
