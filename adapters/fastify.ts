import { METHODS, STATUS_CODES } from "node:http";
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Identifying, Principal } from "../src/engine/service/identified.js";
import { isStream } from "../src/ground/http/endingBody.js";
import type { Handle, HttpResponse } from "../src/ground/http/message.js";
import { splitTarget } from "../src/ground/http/target.js";
import { joinVary } from "./hosts/joinVary.js";
import { targetBelowPattern } from "./hosts/mountedTarget.js";
import { nodeAnswer } from "./hosts/nodeAnswer.js";
import { nodeRequest } from "./hosts/nodeMessage.js";
import { readableOf } from "./hosts/nodeResponse.js";

export { type IdempotentRoute, idempotent } from "./hosts/idempotency/fastify.js";
export type { IdempotentOptions } from "./hosts/idempotency/options.js";

declare module "fastify" {
  interface FastifyRequest {
    /** Behind `requirePrincipal`: who sends the request. */
    principal?: Principal | undefined;
  }
}

/** Errors with which Fastify refuses a request before its body is read; the service decides about these requests itself. */
const refusals: ReadonlySet<unknown> = new Set(["FST_ERR_CTP_INVALID_MEDIA_TYPE", "FST_ERR_ROUTE_MISSING_CONTENT_TYPE"]);

/**
 * A plugin for Fastify: paths that this service does not serve get the host's own 404. It must keep its own scope, because it reads unparsed bodies.
 *
 * It makes all methods of Node known to the instance (`addHttpMethod`), so that a method that a path does not have is 405 and not Fastify's 404.
 *
 * @example
 * const app = fastify(fastifyOptions());
 * app.register(fastifyPlugin(service), { prefix: "/v1" });
 */
export function fastifyPlugin(service: { readonly handle: Handle }): (scope: FastifyInstance) => Promise<void> {
  return async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", (_request, _payload, done) => done(null));
    const answer = async (fastifyRequest: FastifyRequest, reply: FastifyReply): Promise<boolean> => {
      const exchange = { incoming: fastifyRequest.raw, outgoing: reply.raw, native: fastifyRequest };
      const request = nodeRequest(exchange, targetBelowPattern(exchange.incoming.url ?? "/", scope.prefix));
      const response = await service.handle(request);
      if (response === undefined) return false;
      const answered = nodeAnswer(exchange, request, response);
      send(reply, answered instanceof Promise ? await answered : answered);
      return true;
    };
    // Returns nothing: Fastify would wait for a promise, and look at the reply that it brings.
    const handler = (fastifyRequest: FastifyRequest, reply: FastifyReply): void => {
      answer(fastifyRequest, reply).then(
        (isServed) => {
          if (!isServed) reply.callNotFound();
        },
        (error: unknown) => reply.send(error),
      );
    };
    scope.setErrorHandler((error, fastifyRequest, reply) => {
      if (error instanceof Error && "code" in error && refusals.has(error.code)) return handler(fastifyRequest, reply);
      throw error;
    });
    const known = new Set(scope.supportedMethods);
    // Node does not pass CONNECT to request listeners.
    for (const method of METHODS) if (!known.has(method) && method !== "CONNECT") scope.addHttpMethod(method);
    for (const url of ["/", "/*"]) {
      // At the root, @fastify/cors has taken OPTIONS of all paths if it was registered before.
      const isTaken = scope.hasRoute({ method: "OPTIONS", url: `${scope.prefix}${url}` });
      const method = isTaken ? scope.supportedMethods.filter((name) => name !== "OPTIONS") : scope.supportedMethods;
      scope.route({ method, url, exposeHeadRoute: false, handler });
    }
    mounts.set(scope.server, [...(mounts.get(scope.server) ?? []), { prefix: scope.prefix, answer }]);
  };
}

interface Mount {
  readonly prefix: string;
  answer(request: FastifyRequest, reply: FastifyReply): Promise<boolean>;
}

/** The mounts of services, by the server of their instance. */
const mounts = new WeakMap<FastifyInstance["server"], readonly Mount[]>();

/**
 * Options for `fastify(…)`, for what a plugin cannot do: Fastify answers a path that is not valid percent-encoding (`/users/%`) before any plugin sees it. With
 * these options such a path below a {@link fastifyPlugin} is answered by its service, as on the other hosts; elsewhere the answer is Fastify's own.
 *
 * @example
 * const app = fastify({ ...fastifyOptions(), logger: true });
 */
export function fastifyOptions(): { frameworkErrors(error: FastifyError, request: FastifyRequest, reply: FastifyReply): Promise<void> } {
  return {
    async frameworkErrors(error, request, reply) {
      const path = splitTarget(request.raw.url ?? "/").path;
      const mount = mounts.get(request.server.server)?.find(({ prefix }) => isBelow(path, prefix));
      try {
        if (mount !== undefined && (await mount.answer(request, reply))) return;
      } catch (fault) {
        request.log.error(fault);
      }
      const { code, message, statusCode = 400 } = error;
      await reply.code(statusCode).send({ error: STATUS_CODES[statusCode], code, message, statusCode });
    },
  };
}

/**
 * A hook for routes of your own in Fastify: they find who sends the request in `request.principal`. A request without valid credentials is answered as the service does.
 *
 * @example
 * app.get("/reports/:id", { onRequest: requirePrincipal(service) }, (request) => reportFor(request.principal));
 */
export function requirePrincipal(service: Identifying): (request: FastifyRequest, reply: FastifyReply) => Promise<unknown> {
  return async (fastifyRequest, reply) => {
    const exchange = { incoming: fastifyRequest.raw, outgoing: reply.raw, native: fastifyRequest };
    const request = nodeRequest(exchange, { ...splitTarget(fastifyRequest.originalUrl), mount: "" }, fastifyRequest.body);
    const { principal, answer } = await service.identify(request);
    if (answer === undefined) {
      fastifyRequest.principal = principal;
      return undefined;
    }
    send(reply, await nodeAnswer(exchange, request, answer));
    return reply;
  };
}

/** `/v1/users/%` is below `/v1` and `/:version`. */
function isBelow(path: string, prefix: string): boolean {
  const segments = path.split("/");
  return prefix
    .replace(/\/+$/, "")
    .split("/")
    .every((segment, index) => segment.startsWith(":") || segment === segments[index]);
}

const asItIs = (text: string) => text;

function send(reply: FastifyReply, { status, headers, body }: HttpResponse): void {
  reply.code(status);
  for (const [name, value] of Object.entries(headers)) {
    reply.header(name, name === "vary" ? joinVary(reply.getHeader(name), value) : value);
  }
  // Without a serializer of its own, Fastify adds a charset to the type of JSON texts.
  if (typeof body === "string") {
    reply.serializer(asItIs);
  }
  reply.send(isStream(body) ? readableOf(body) : (body ?? undefined));
}
