import type { FastifyReply, FastifyRequest } from "fastify";
import type { HttpResponse } from "../../src/http/message.js";
import { splitTarget } from "../../src/http/target.js";
import { createGuard, type GuardedOperation } from "../../src/idempotency/guard.js";
import { nodeAnswer } from "../nodeAnswer.js";
import { nodeRequest } from "../nodeMessage.js";
import { unkept } from "./capture.js";
import { type FastifyPayload, fastifyAnswer, fastifyPayload, replaceAnswer, sendAnswer } from "./fastifyAnswer.js";
import type { HostHeaders } from "./headersSince.js";
import { nodeGuarded } from "./nodeGuarded.js";
import { checkedLimit, type IdempotentOptions } from "./options.js";

declare module "fastify" {
  interface FastifyRequest {
    /** Under an Idempotency-Key: tells this operation from every other, the same in each try. */
    operationId?: string | undefined;
  }
}

/** The hooks of a guarded route. A route with hooks of its own puts them into lists. */
export interface IdempotentRoute {
  readonly preHandler: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;
  readonly onSend: (request: FastifyRequest, reply: FastifyReply, payload: unknown) => Promise<unknown>;
}

/** A handler that has its turn. */
interface Turn {
  /** Headers that stood there before. */
  readonly before: HostHeaders;
  readonly answered: (answer: HttpResponse | Promise<HttpResponse>) => void;
  readonly outcome: Promise<HttpResponse | undefined>;
}

/**
 * Options for a route of Fastify that let its handler act once for all requests with one Idempotency-Key.
 *
 * @throws {ConfigurationError} for options that cannot be
 * @example
 * app.post("/charges", idempotent({ store, principal: (request) => ({ id: request.user.id }) }), charge);
 */
export function idempotent(options: IdempotentOptions<FastifyRequest>): IdempotentRoute {
  const guard = createGuard(options);
  const limitBytes = checkedLimit(options);
  const turns = new WeakMap<FastifyRequest, Turn>();
  return {
    async preHandler(fastifyRequest, reply) {
      const exchange = { incoming: fastifyRequest.raw, outgoing: reply.raw, native: fastifyRequest };
      const request = nodeRequest(exchange, { ...splitTarget(fastifyRequest.originalUrl), mount: "" }, fastifyRequest.body);
      const guarded = nodeGuarded(request, exchange.incoming, limitBytes, () => options.principal(fastifyRequest));
      const response = await new Promise<HttpResponse | undefined>((proceed, fail) => {
        const run = ({ operationId }: GuardedOperation) =>
          new Promise<HttpResponse>((answered) => {
            fastifyRequest.operationId = operationId;
            turns.set(fastifyRequest, { before: { ...reply.getHeaders() }, answered, outcome });
            // A hijacked reply does not pass our hook, nor does the app's own 404.
            reply.raw.once("finish", () => {
              if (turns.delete(fastifyRequest)) answered({ status: reply.raw.statusCode, headers: {}, body: unkept });
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
      const turn = turns.get(fastifyRequest);
      if (turn === undefined) return payload;
      // Where this fails, the error page comes through here as well.
      turns.delete(fastifyRequest);
      const answer = fastifyAnswer(reply, payload as FastifyPayload, turn.before);
      turn.answered(answer);
      const response = await turn.outcome;
      if (response === undefined || response === (await answer)) return fastifyPayload(payload, await answer);
      return replaceAnswer(reply, turn.before, response);
    },
  };
}
