import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { parseArgs } from "node:util";
import { reportTo } from "../tools/control.js";
import { type Host, hosts, oneOf } from "../tools/serverOptions.js";
import { contents } from "./contents.js";

const body = { id: 1, name: "Ada", email: "ada@example.com" };

/** A server of the framework alone, with one route. */
async function bareServer(host: Host): Promise<Server> {
  switch (host) {
    case "fastify": {
      const app = (await import("fastify")).default();
      app.get("/users/:id", async () => body);
      await app.listen({ port: 0, host: "127.0.0.1" });
      return app.server;
    }
    case "express": {
      const app = (await import("express")).default();
      app.get("/users/:id", (_request, response) => void response.json(body));
      return app.listen(0, "127.0.0.1");
    }
    case "koa": {
      const app = new (await import("koa")).default();
      app.use((context) => {
        context.body = body;
      });
      return app.listen(0, "127.0.0.1");
    }
    case "hono": {
      const [{ Hono }, { serve }] = await Promise.all([import("hono"), import("@hono/node-server")]);
      const app = new Hono().get("/users/:id", (context) => context.json(body));
      return serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }) as Server;
    }
  }
}

const { values } = parseArgs({ options: { host: { type: "string", default: "fastify" }, content: { type: "string", default: "bare" } } });
const host = oneOf("host", values.host, hosts);
const content = oneOf("content", values.content, contents);

if (content === "restwright") {
  const { startRestwright } = await import("./restwright.js");
  reportTo(await startRestwright(host));
} else {
  if (content === "zod") await import("zod");
  const server = await bareServer(host);
  if (!server.listening) await once(server, "listening");
  reportTo((server.address() as AddressInfo).port);
}
