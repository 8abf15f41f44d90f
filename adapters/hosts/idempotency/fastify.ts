import type { FastifyReply, FastifyRequest } from "fastify";
import type { HttpResponse } from "../../../src/ground/http/message.js";
import { splitTarget } from "../../../src/ground/http/target.js";
import type { GuardedOperation } from "../../../src/parts/idempotency/guard.js";
import { nodeAnswer } from "../nodeAnswer.js";
import { nodeRequest } from "../nodeMessage.js";
import { unstoredBody } from "./capture.js";
import { type FastifyPayload, fastifyAnswer, fastifyPayload, replaceAnswer, sendAnswer } from "./fastifyAnswer.js";
import { nodeGuarded } from "./nodeGuarded.js";
import { guardOf, type IdempotentOptions } from "./options.js";
import type { HostHeaders } from "./responseHead.js";

declare module "fastify" {
  interface FastifyRequest {
    /** With an Idempotency-Key: the id of the operation, the same in each attempt. */
    operationId?: string | undefined;
  }
}

/** The hooks of a guarded route. A route with other hooks lists them together with these. */
export interface IdempotentRoute {
  readonly preHandler: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;
  readonly onSend: (request: FastifyRequest, reply: FastifyReply, payload: unknown) => Promise<unknown>;
}

/** A handler that is running. */
interface RunningHandler {
  /** The headers before the handler. */
  readonly before: HostHeaders;
  readonly answered: (answer: HttpResponse | Promise<HttpResponse>) => void;
  readonly outcome: Promise<HttpResponse | undefined>;
}

/**
 * Options for a route of Fastify that run its handler once for all requests with the same Idempotency-Key.
 *
 * @throws {ConfigurationError} if the options are invalid
 * @example
 * app.post("/charges", idempotent({ store, principal: (request) => ({ id: request.user.id }) }), charge);
 */
export function idempotent(options: IdempotentOptions<FastifyRequest>): IdempotentRoute {
  const { guard, limitBytes } = guardOf(options);
  const running = new WeakMap<FastifyRequest, RunningHandler>();
  return {
    async preHandler(fastifyRequest, reply) {
      const exchange = { incoming: fastifyRequest.raw, outgoing: reply.raw, native: fastifyRequest };
      const request = nodeRequest(exchange, { ...splitTarget(fastifyRequest.originalUrl), mount: "" }, fastifyRequest.body);
      const guarded = nodeGuarded(request, exchange.incoming, limitBytes, () => options.principal(fastifyRequest));
      const response = await new Promise<HttpResponse | undefined>((proceed, fail) => {
        const run = ({ operationId }: GuardedOperation) =>
          new Promise<HttpResponse>((answered) => {
            fastifyRequest.operationId = operationId;
            running.set(fastifyRequest, { before: { ...reply.getHeaders() }, answered, outcome });
            // Fastify does not call the hook for a hijacked reply or for its own 404.
            reply.raw.once("finish", () => {
              if (running.delete(fastifyRequest)) answered({ status: reply.raw.statusCode, headers: {}, body: unstoredBody });
            });
            proceed(undefined);
          });
        const outcome = guard(guarded, run);
        outcome.then(proceed, fail);
      });
      if (response === undefined) return undefined;
      sendAnswer(reply, await nodeAnswer(exchange, request, response));
      return reply;
    },
    async onSend(fastifyRequest, reply, payload) {
      const handler = running.get(fastifyRequest);
      if (handler === undefined) return payload;
      // Deleted first: if this hook fails, Fastify also calls it for the error page.
      running.delete(fastifyRequest);
      const answer = fastifyAnswer(reply, payload as FastifyPayload, handler.before);
      handler.answered(answer);
      const response = await handler.outcome;
      if (response === undefined || response === (await answer)) return fastifyPayload(payload, await answer);
      return replaceAnswer(reply, handler.before, response);
    },
  };
}
