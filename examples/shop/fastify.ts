import fastify from "fastify";
import { fastifyOptions, fastifyPlugin } from "restwright/fastify";
import type { StartHost } from "./host.js";
import { listening } from "./listening.js";

export const start: StartHost = async (service, { port, address, basePath }) => {
  const app = fastify(fastifyOptions());
  await app.register(fastifyPlugin(service), { prefix: basePath });
  await app.listen({ port, host: address });
  return listening(app.server);
};
