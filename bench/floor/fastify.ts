import etag from "etag";
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { problemDocument, toProblem } from "./problem.js";
import { type Answer, requestId, type Users } from "./users.js";

const batchBytes = 10_000_000;

/** The users API as one would write it for Fastify. */
export function fastifyUsers(users: Users): FastifyInstance {
  const app = fastify({ genReqId: ({ headers }) => requestId(headers["x-request-id"]?.toString()) });
  app.addContentTypeParser("application/merge-patch+json", { parseAs: "string" }, app.getDefaultJsonParser("error", "error"));
  app.addHook("onRequest", async (request, reply) => {
    reply.header("x-request-id", request.id);
    reply.header("x-content-type-options", "nosniff");
  });
  app.setErrorHandler((error, request, reply) => {
    const problem = toProblem(error);
    if (problem.status >= 500) request.log.error(error);
    reply
      .code(problem.status)
      .headers(problem.headers)
      .header("content-language", "en")
      .type("application/problem+json")
      .send(problemDocument(problem, request.id));
  });
  app.get("/users", async (request, reply) => sendTagged(request, reply, await users.list(request.query, request.url)));
  app.post("/users", async (request, reply) => send(reply, await users.create(request.body)));
  app.post("/users/batch", { bodyLimit: batchBytes }, async (request, reply) => send(reply, await users.createMany(request.body, request.id)));
  app.get<{ Params: { id: string } }>("/users/:id", async (request, reply) =>
    send(reply, await users.read(request.params.id, { ifNoneMatch: request.headers["if-none-match"] })),
  );
  app.patch<{ Params: { id: string } }>("/users/:id", async (request, reply) =>
    send(reply, await users.update(request.params.id, request.body, { ifMatch: request.headers["if-match"] })),
  );
  return app;
}

function send(reply: FastifyReply, { status, headers, value }: Answer): FastifyReply {
  return reply.code(status).headers(headers).send(value);
}

function sendTagged(request: FastifyRequest, reply: FastifyReply, { status, headers, value }: Answer): FastifyReply {
  const text = JSON.stringify(value);
  const tag = etag(text, { weak: true });
  reply.headers(headers).header("etag", tag);
  if (request.headers["if-none-match"] === tag) return reply.code(304).send();
  return reply.code(status).type("application/json").send(text);
}
