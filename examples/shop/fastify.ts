import fastify from "fastify";
import { fastifyPlugin } from "restwright/fastify";
import type { StartHost } from "./host.js";
import { listening } from "./listening.js";

export const start: StartHost = async (service, { port, address, basePath }) => {
  const app = fastify({ forceCloseConnections: "idle" });
  await app.register(fastifyPlugin(service), { prefix: basePath });
  await app.listen({ port, host: address });
  return { ...(await listening(app.server)), close: () => app.close() };
};
