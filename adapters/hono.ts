import type { Context, Next } from "hono";
import { routePath } from "hono/route";
import type { StatusCode } from "hono/utils/http-status";
import type { Identifying, Principal } from "../src/engine/service/identified.js";
import { fetchBody, fetchRequest, responseBody } from "../src/ground/http/fetchMessage.js";
import type { Handle, HttpRequest, HttpResponse } from "../src/ground/http/message.js";
import { splitTarget } from "../src/ground/http/target.js";
import { wireResponse } from "../src/ground/http/wireResponse.js";
import { optionsCheck, strict } from "../src/ground/options/index.js";
import { mountSchema, targetBelowPattern, targetBelowPrefix } from "./hosts/mountedTarget.js";
import { nodeBindings, withoutOwnLength } from "./hosts/nodeBindings.js";
import { nodeRequest } from "./hosts/nodeMessage.js";
import { endWithConnection } from "./hosts/nodeResponse.js";

export { idempotent } from "./hosts/idempotency/hono.js";
export type { IdempotentOptions } from "./hosts/idempotency/options.js";

declare module "hono" {
  interface ContextVariableMap {
    /** Behind `requirePrincipal`: who sends the request. */
    principal: Principal;
  }
}

export interface HonoOptions {
  /** The prefix to cut, e.g. `/v1`. Defaults to the part before `/*` in the route of the handler. */
  readonly mount?: string | undefined;
}

const check = /* @__PURE__ */ optionsCheck("honoHandler", () => strict<HonoOptions>({ mount: mountSchema() }));

/**
 * A handler for Hono. It passes paths that the service does not serve to the next handler. On `@hono/node-server` it reads the underlying Node request.
 *
 * @throws {ConfigurationError} for options that cannot work
 * @example
 * app.use("/v1/*", honoHandler(service));
 */
export function honoHandler(
  service: { readonly handle: Handle },
  options: HonoOptions = {},
): (context: Context, next: Next) => Promise<Response | undefined> {
  check(options);
  const { mount } = options;
  return async (context, next) => {
    const request = await honoRequest(context, mount);
    const response = request && (await service.handle(request));
    if (request === undefined || response === undefined) {
      await next();
      return undefined;
    }
    const { outgoing } = nodeBindings(context.env);
    const answer = wireResponse(request.method, response);
    return send(context, outgoing ? withoutOwnLength(endWithConnection(outgoing, request, answer)) : answer);
  };
}

/**
 * A middleware for Hono before routes of your own: they find who sends the request by `context.get("principal")`. A request without valid credentials is answered as the service
 * does.
 *
 * @example
 * app.get("/reports/:id", requirePrincipal(service), (context) => context.json(reportFor(context.get("principal"))));
 */
export function requirePrincipal(service: Identifying): (context: Context, next: Next) => Promise<Response | undefined> {
  return async (context, next) => {
    const { incoming, outgoing } = nodeBindings(context.env);
    const target = splitTarget(incoming?.url ?? context.req.url);
    const mounted = { ...target, mount: "" };
    const request =
      incoming && outgoing
        ? nodeRequest({ incoming, outgoing, native: context }, mounted)
        : fetchRequest(context.req.raw, mounted, fetchBody(context.req.raw), context);
    const { principal, answer } = await service.identify(request);
    if (answer !== undefined) return send(context, wireResponse(request.method, answer));
    context.set("principal", principal);
    await next();
    return undefined;
  };
}

async function honoRequest(context: Context, mount: string | undefined): Promise<HttpRequest | undefined> {
  const { raw } = context.req;
  const { incoming, outgoing } = nodeBindings(context.env);
  const target = incoming?.url ?? raw.url;
  const mounted = mount === undefined ? targetBelowPattern(target, mountPattern(context)) : targetBelowPrefix(target, mount);
  if (mounted === undefined) {
    return undefined;
  }
  // An earlier middleware has read the body; Hono caches a body that was read through its own request.
  const bytes = raw.bodyUsed ? new Uint8Array(await context.req.arrayBuffer()) : undefined;
  if (incoming && outgoing) {
    const request = nodeRequest({ incoming, outgoing, native: context }, mounted, bytes);
    // A middleware has asked for the body of the web request, as `bodyLimit` does, which reads the bytes of Node's request or has read them.
    const isTaken = bytes === undefined && request.body.kind === "stream" && (incoming.readableFlowing !== null || hasWebBody(raw));
    return isTaken ? Object.assign(request, { body: fetchBody(raw) }) : request;
  }
  return fetchRequest(raw, mounted, bytes ? { kind: "bytes", bytes } : fetchBody(raw), context);
}

/** `@hono/node-server` makes the real request, whose body reads ahead, when it is first needed, and keeps it under a symbol. */
function hasWebBody(raw: Request): boolean {
  return Object.getOwnPropertySymbols(raw).some(({ description }) => description === "requestCache");
}

/** `/v1/*` → `/v1`. */
function mountPattern(context: Context): string {
  return routePath(context).replace(/\/?\*$/, "");
}

function send(context: Context, { status, headers, body, unread }: HttpResponse): Response {
  for (const [name, value] of Object.entries(headers)) {
    const lines = [value].flat();
    const append = name === "vary" || name === "set-cookie";
    lines.forEach((line, index) => {
      context.header(name, line, { append: append || index > 0 });
    });
  }
  return context.newResponse(responseBody(body, unread), status as StatusCode);
}
