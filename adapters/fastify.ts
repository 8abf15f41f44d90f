import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Handle, HttpResponse } from "../src/http/message.js";
import { nodeAnswer } from "./nodeAnswer.js";
import { nodeRequest } from "./nodeMessage.js";
import { readableOf } from "./nodeResponse.js";
import { placeBelowPattern } from "./place.js";
import { isStream, joinVary } from "./response.js";

export { type IdempotentRoute, idempotent } from "./idempotency/fastify.js";
export type { IdempotentOptions } from "./idempotency/options.js";

/**
 * A plugin for Fastify: paths that are none of the service's get the host's own 404. It must keep its own scope, since it takes bodies unparsed.
 *
 * @example
 * app.register(fastifyPlugin(service), { prefix: "/v1" });
 */
export function fastifyPlugin(service: { readonly handle: Handle }): (scope: FastifyInstance) => Promise<void> {
  return async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", (_request, _payload, done) => done(null));
    const handler = async (fastifyRequest: FastifyRequest, reply: FastifyReply) => {
      const exchange = { incoming: fastifyRequest.raw, outgoing: reply.raw, native: fastifyRequest };
      const request = nodeRequest(exchange, placeBelowPattern(exchange.incoming.url ?? "/", scope.prefix));
      const response = await service.handle(request);
      if (response === undefined) {
        reply.callNotFound();
      } else {
        send(reply, await nodeAnswer(exchange, request, response));
      }
      return reply;
    };
    // Whether a Content-Type will do is the service's question: bodies are not parsed here, so that nothing is lost yet.
    scope.setErrorHandler((error, fastifyRequest, reply) => {
      if (error instanceof Error && "code" in error && error.code === "FST_ERR_CTP_INVALID_MEDIA_TYPE") {
        return handler(fastifyRequest, reply);
      }
      throw error;
    });
    for (const url of ["/", "/*"]) {
      scope.route({ method: scope.supportedMethods, url, exposeHeadRoute: false, handler });
    }
  };
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
