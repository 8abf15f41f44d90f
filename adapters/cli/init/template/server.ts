import type { Host, ProjectPlan } from "../choices.js";
import type { Types } from "./typed.js";

/** The module of the host: the only one that knows which framework serves the API. */
export function serverFile({ host }: ProjectPlan, types: Types): string {
  const { imports, start } = files[host];
  return `${imports(types)}${types(`import type { Api } from "./api.js";

export interface Address {
  readonly port: number;
  readonly host: string;
}
`)}
/** Serves the API below /v1. Your own routes and body parsers come after it. */
export async function startServer(api${types(": Api")}, { port, host }${types(": Address")}) {
${start(types)}}
`;
}

interface HostFile {
  readonly imports: (types: Types) => string;
  /** The statements that make the server, and return it when it listens. */
  readonly start: (types: Types) => string;
}

const untilListening = `  await once(server, "listening");
  return server;
`;

const files: Readonly<Record<Host, HostFile>> = {
  express: {
    imports: () => `import { once } from "node:events";
import express from "express";
import { expressHandler } from "restwright/express";
`,
    start: () => `  const app = express();
  app.disable("x-powered-by");
  app.use("/v1", expressHandler(api));
  const server = app.listen(port, host);
${untilListening}`,
  },
  fastify: {
    imports: () => `import fastify from "fastify";
import { fastifyOptions, fastifyPlugin } from "restwright/fastify";
`,
    start: () => `  const app = fastify(fastifyOptions());
  await app.register(fastifyPlugin(api), { prefix: "/v1" });
  await app.listen({ port, host });
  return app;
`,
  },
  hono: {
    imports: (types) => `import { once } from "node:events";
${types(`import type { Server } from "node:http";
`)}import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { honoHandler } from "restwright/hono";
`,
    start: (types) => `  const app = new Hono();
  app.use("/v1/*", honoHandler(api, { mount: "/v1" }));
  const server = serve({ fetch: app.fetch, port, hostname: host })${types(" as Server")};
${untilListening}`,
  },
  koa: {
    imports: () => `import { once } from "node:events";
import Koa from "koa";
import mount from "koa-mount";
import { koaMiddleware } from "restwright/koa";
`,
    start: () => `  const app = new Koa();
  // The API logs its errors itself; Koa would also print aborted requests.
  app.silent = true;
  app.use(mount("/v1", koaMiddleware(api)));
  const server = app.listen(port, host);
${untilListening}`,
  },
};
