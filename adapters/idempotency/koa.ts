import type { IncomingMessage, ServerResponse } from "node:http";
import type { HttpResponse } from "../../src/http/message.js";
import { splitTarget } from "../../src/http/target.js";
import { createGuard, type GuardedOperation } from "../../src/idempotency/guard.js";
import { koaBody } from "../koaBody.js";
import { nodeAnswer } from "../nodeAnswer.js";
import { nodeRequest } from "../nodeMessage.js";
import { setHeaders } from "../nodeResponse.js";
import { koaAnswer } from "./koaAnswer.js";
import { nodeGuarded } from "./nodeGuarded.js";
import { checkedLimit, type IdempotentOptions } from "./options.js";
import { headOf, setHead } from "./responseHead.js";

/** What the guard reads and sets of Koa's context. */
export interface IdempotentKoaContext {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  /** Body parsers put `body` here. */
  readonly request: object;
  readonly method: string;
  readonly originalUrl: string;
  /** The handlers behind find `operationId` here: it tells this operation from every other, the same in each try. */
  readonly state: object;
  readonly message: string;
  readonly respond?: boolean | undefined;
  status: number;
  body: unknown;
}

/**
 * A middleware for Koa that lets what comes behind it act once for all requests with one Idempotency-Key.
 *
 * @throws {ConfigurationError} for options that cannot be
 * @example
 * router.post("/charges", idempotent({ store, principal: (context) => ({ id: context.state.user.id }) }), charge);
 */
export function idempotent<Context extends IdempotentKoaContext = IdempotentKoaContext>(
  options: IdempotentOptions<Context>,
): (context: Context, next: () => Promise<unknown>) => Promise<void> {
  const guard = createGuard(options);
  const limitBytes = checkedLimit(options);
  return async (context, next) => {
    const exchange = { incoming: context.req, outgoing: context.res, native: context };
    const request = nodeRequest(exchange, { ...splitTarget(context.originalUrl), mount: "" }, parsedBody(context.request));
    const before = headOf(context.res);
    let own: HttpResponse | undefined;
    const run = async ({ operationId }: GuardedOperation) => {
      Object.assign(context.state, { operationId });
      await next();
      own = await koaAnswer(context, before.headers);
      return own;
    };
    const response = await guard(
      nodeGuarded(request, context.req, limitBytes, () => options.principal(context)),
      run,
    );
    if (response === undefined) await next();
    else if (response !== own) {
      setHead(context.res, before);
      send(context, await nodeAnswer(exchange, request, response));
    } else if (context.respond !== false && context.body !== undefined && context.body !== null) setBody(context, response);
  };
}

function parsedBody(request: object): unknown {
  return "body" in request ? request.body : undefined;
}

function send(context: IdempotentKoaContext, { status, headers, body }: HttpResponse): void {
  // Koa takes away the type of a body that is nothing; one that was not kept has a type all the same.
  setBody(context, { status, headers, body: body ?? (headers["content-type"] === undefined ? null : "") });
  setHeaders(context.res, headers);
}

/** Middleware in front of us finds the same body now and at a replay: text or bytes, and no value that is yet to be written as JSON. */
function setBody(context: IdempotentKoaContext, { status, body }: HttpResponse): void {
  // Koa takes an empty body for a 204 unless the status says so already.
  context.status = body === null ? 204 : status;
  context.body = koaBody(body);
  context.status = status;
}
