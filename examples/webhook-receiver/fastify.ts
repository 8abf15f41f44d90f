import type { AddressInfo } from "node:net";
import fastify from "fastify";
import type { StartHost } from "./host.js";

export const start: StartHost = async (receive, { port, certificate }) => {
  const app = fastify({ https: certificate ?? null, bodyLimit: 1_048_576 });
  // In a scope of its own, beside other routes that want their JSON parsed.
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
    scope.post<{ Body: Buffer | undefined }>("/hook", async (request, reply) => {
      const { status, text } = await receive(request.headers, request.body ?? Buffer.alloc(0));
      return reply.code(status).type("text/plain").send(text);
    });
  });
  await app.listen({ port, host: "127.0.0.1" });
  return (app.server.address() as AddressInfo).port;
};
