import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import type { HttpResponse, ResponseBody } from "../../../src/ground/http/message.js";
import { splitTarget } from "../../../src/ground/http/target.js";
import type { GuardedOperation } from "../../../src/parts/idempotency/guard.js";
import { koaBody } from "../koaBody.js";
import { nodeAnswer } from "../nodeAnswer.js";
import { nodeRequest } from "../nodeMessage.js";
import { setHeaders } from "../nodeResponse.js";
import { capture, unstoredBody } from "./capture.js";
import { nodeGuarded } from "./nodeGuarded.js";
import { guardOf, type IdempotentOptions } from "./options.js";
import { type HostHeaders, headersSince, headOf, setHead } from "./responseHead.js";

/** The members of Koa's context that the guard reads and sets. */
export interface IdempotentKoaContext {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  /** Body parsers set `body` here. */
  readonly request: object;
  readonly method: string;
  readonly originalUrl: string;
  /** Later handlers find `operationId` here: the id of the operation, the same in each attempt. */
  readonly state: object;
  readonly message: string;
  readonly respond?: boolean | undefined;
  status: number;
  body: unknown;
}

/**
 * A middleware for Koa that runs the middleware after it once for all requests with the same Idempotency-Key.
 *
 * @throws {ConfigurationError} if the options are invalid
 * @example
 * router.post("/charges", idempotent({ store, principal: (context) => ({ id: context.state.user.id }) }), charge);
 */
export function idempotent<Context extends IdempotentKoaContext = IdempotentKoaContext>(
  options: IdempotentOptions<Context>,
): (context: Context, next: () => Promise<unknown>) => Promise<void> {
  const { guard, limitBytes } = guardOf(options);
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
  // Koa removes the content type of a null body, but a body that was not stored keeps its type.
  setBody(context, { status, headers, body: body ?? (headers["content-type"] === undefined ? null : "") });
  setHeaders(context.res, headers);
}

/** Sets text or bytes, never a value that Koa would serialise as JSON, so that earlier middleware sees the same body now and in a replay. */
function setBody(context: IdempotentKoaContext, { status, body }: HttpResponse): void {
  // Koa changes the status to 204 if a body is empty, unless the status is already set.
  context.status = body === null ? 204 : status;
  context.body = koaBody(body);
  context.status = status;
}

/** The members of Koa's context that describe the response. */
interface Answered {
  readonly res: ServerResponse;
  readonly message: string;
  readonly status: number;
  readonly body: unknown;
  /** `false` if the handler itself writes to the response of Node. */
  readonly respond?: boolean | undefined;
}

/**
 * The response of the handlers, as Koa will send it.
 *
 * @param before the headers before the handlers
 */
async function koaAnswer({ res, status, message, body, respond }: Answered, before: HostHeaders): Promise<HttpResponse> {
  const headers = headersSince(before, res.getHeaders());
  if (respond === false) return { status, headers, body: unstoredBody };
  // Without a body Koa sends the reason phrase of the status.
  if (body === undefined && status !== 204 && status !== 304) {
    return { status, headers: { ...headers, "content-type": "text/plain; charset=utf-8" }, body: message };
  }
  const response = { status, headers, body: bodyOf(body) };
  try {
    return await capture(response);
  } catch (error) {
    // The connection ended, and Koa ended the stream with it. The handler did not fail: its effects remain.
    if (res.destroyed) return response;
    throw error;
  }
}

/** The kinds of bodies that Koa accepts. */
function bodyOf(body: unknown): ResponseBody {
  if (body === undefined || body === null || typeof body === "string" || Buffer.isBuffer(body)) return body ?? null;
  if (body instanceof Readable || body instanceof ReadableStream) return body;
  if (body instanceof Blob) return body.stream();
  if (body instanceof Response) return body.body;
  return JSON.stringify(body);
}
