// @slow

import { Readable } from "node:stream";
import Fastify from "fastify";
import { idempotent } from "../../../../adapters/fastify.js";
import type { IdempotentHost } from "../../../parts/idempotency/checks/host.js";
import { listen } from "../host.js";
import { idempotentChecks } from "./idempotentChecks.js";

let outer = 0;

const fastifyHost: IdempotentHost = {
  name: "fastify",
  parsesBehind: false,
  async start({ options, caller, act }) {
    const app = Fastify({ bodyLimit: 20_000_000 });
    app.addHook("onRequest", async (_request, reply) => {
      outer += 1;
      reply.header("Vary", "Origin").header("Set-Cookie", "host=1; Path=/").header("X-Outer", outer);
    });
    app.setErrorHandler((error, _request, reply) => {
      const status = error instanceof Error && "status" in error ? Number(error.status) : 500;
      reply.code(status).header("X-Host-Error", "1").send("host error");
    });
    app.addContentTypeParser("application/octet-stream", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
    // What nobody parses is left in the request.
    app.addContentTypeParser("multipart/form-data", (_request, _payload, done) => done(null));
    const user = (header: string | string[] | undefined) => (typeof header === "string" ? header : undefined);
    app.all("/*", idempotent({ ...options, principal: (request) => caller(user(request.headers["x-user"])) }), async (request, reply) => {
      const path = request.url.split("?")[0] ?? "";
      const { status = 200, headers = {}, body, stream } = await act({ path, body: request.body, operationId: request.operationId });
      reply.code(status).headers(headers);
      return reply.send(stream ? Readable.from(stream) : body);
    });
    await app.ready();
    return listen(app.server);
  },
};

idempotentChecks(fastifyHost);
