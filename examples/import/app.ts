import { readFile } from "node:fs/promises";
import fastify, { type FastifyInstance } from "fastify";
import type { Service } from "restwright";
import { fastifyPlugin } from "restwright/fastify";

/** All that the page needs comes from its own origin. */
const policy = "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const types = { html: "text/html; charset=utf-8", css: "text/css; charset=utf-8", js: "text/javascript; charset=utf-8", svg: "image/svg+xml" };

const files: readonly (readonly [path: string, name: string, type: keyof typeof types])[] = [
  ["/", "index.html", "html"],
  ["/page.css", "page.css", "css"],
  ["/icon.svg", "icon.svg", "svg"],
  ...["page", "sendFile", "followJob", "showJob", "showErrors", "showProblem"].map((name) => [`/${name}.js`, `${name}.js`, "js"] as const),
];

/** The page at `/` and the service below `/api`, on one origin. */
export async function createApp(service: Service): Promise<FastifyInstance> {
  const app = fastify();
  for (const [path, name, type] of files) {
    const text = await readFile(new URL(`page/${name}`, import.meta.url), "utf8");
    const headers = {
      "content-type": types[type],
      "content-security-policy": policy,
      "x-content-type-options": "nosniff",
      "cache-control": "no-cache",
    };
    app.get(path, (_request, reply) => reply.headers(headers).send(text));
  }
  await app.register(fastifyPlugin(service), { prefix: "/api" });
  return app;
}
