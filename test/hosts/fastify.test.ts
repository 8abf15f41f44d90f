import Fastify, { type FastifyPluginAsync } from "fastify";
import { fastifyPlugin } from "../../adapters/fastify.js";
import { hostConformance } from "./conformance.js";
import { listen, mountSegments } from "./host.js";

hostConformance({
  name: "fastify",
  framework: true,
  setsHeaders: true,
  // Its parsers do not reach into the scope of the plugin.
  parsesBodies: false,
  nodeRequests: true,
  lingers: true,
  refusesMalformedPaths: true,
  async start(handle, { mount }) {
    const app = Fastify();
    app.addHook("onRequest", async (_request, reply) => {
      reply.header("Vary", "Origin").header("Set-Cookie", "host=1; Path=/");
    });
    app.setErrorHandler((_error, _request, reply) => reply.code(500).header("X-Host-Error", "1").send("host error"));
    app.get("/own", async () => "own route");
    app.post("/own", async ({ body }) => ({ parsed: body }));
    const nested = mountSegments(mount).reduceRight<FastifyPluginAsync>(
      (inner, segment) => async (scope) => {
        await scope.register(inner, { prefix: segment });
      },
      fastifyPlugin({ handle }),
    );
    await app.register(nested);
    await app.ready();
    return listen(app.server);
  },
});
