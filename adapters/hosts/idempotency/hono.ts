import type { Context, Env, MiddlewareHandler } from "hono";
import type { StatusCode } from "hono/utils/http-status";
import { responseBody } from "../../../src/ground/http/fetchMessage.js";
import type { HttpResponse } from "../../../src/ground/http/message.js";
import type { GuardedOperation } from "../../../src/parts/idempotency/guard.js";
import { nodeBindings, withoutOwnLength } from "../nodeBindings.js";
import { capture } from "./capture.js";
import { honoGuarded } from "./honoGuarded.js";
import { guardOf, type IdempotentOptions } from "./options.js";
import { headersSince } from "./responseHead.js";

declare module "hono" {
  interface ContextVariableMap {
    /** With an Idempotency-Key: the id of the operation, the same in each attempt. */
    operationId: string | undefined;
  }
}

/**
 * A middleware for Hono that runs the handlers after it once for all requests with the same Idempotency-Key.
 *
 * @throws {ConfigurationError} if the options are invalid
 * @example
 * app.post("/charges", idempotent({ store, principal: (context) => ({ id: context.get("user").id }) }), charge);
 */
export function idempotent<E extends Env = Env>(options: IdempotentOptions<Context<E>>): MiddlewareHandler<E> {
  const { guard, limitBytes } = guardOf(options);
  return async (context, next) => {
    // A copy: before the response exists, Hono has one shared Headers object.
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
    else if (own === undefined) return sendAnswer(context, nodeBindings(context.env).outgoing ? withoutOwnLength(response) : response);
    else if (response !== own) replaceAnswer(context, before, response);
    return undefined;
  };
}

/**
 * The response of the handlers. If its body was read, creates a new `Response`.
 *
 * @param before the headers before the handlers
 */
async function honoAnswer(context: Context, before: Headers): Promise<HttpResponse> {
  const { status, headers, body } = context.res;
  const answer = await capture({ status, headers: headersSince(listed(before), listed(headers)), body });
  if (body !== null) context.res = new Response(responseBody(answer.body), { status, headers });
  return answer;
}

/** The headers by name; cookies as a list. */
function listed(headers: Headers): Record<string, string | string[]> {
  const values: Record<string, string | string[]> = Object.fromEntries(headers);
  const cookies = headers.getSetCookie();
  return cookies.length === 0 ? values : { ...values, "set-cookie": cookies };
}

/** Sends a response that the handlers did not make. */
function sendAnswer(context: Context, { status, headers, body }: HttpResponse): Response {
  for (const [name, value] of Object.entries(headers)) {
    for (const [index, line] of [value].flat().entries()) context.header(name, line, { append: index > 0 });
  }
  return context.newResponse(responseBody(body), status as StatusCode);
}

/** Replaces the response of the handlers with the response of another attempt. */
function replaceAnswer(context: Context, before: Headers, { status, headers, body }: HttpResponse): void {
  const lines = new Headers(before);
  for (const [name, value] of Object.entries(headers)) {
    lines.delete(name);
    for (const line of [value].flat()) lines.append(name, line);
  }
  // Hono copies the headers of the current response to the next one.
  context.res = undefined;
  context.res = new Response(responseBody(body), { status, headers: lines });
}
