import { readFile } from "node:fs/promises";
import fastify, { type FastifyInstance } from "fastify";
import { pino } from "pino";
import type { Service } from "restwright";
import { fastifyPlugin } from "restwright/fastify";
import { createShop } from "./api.js";
import { listening } from "./listening.js";
import { readSettings } from "./settings.js";
import { stopOnSignals } from "./stopOnSignals.js";

/** A page loads everything from its own origin. */
const policy = "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const types = { html: "text/html; charset=utf-8", css: "text/css; charset=utf-8", js: "text/javascript; charset=utf-8", svg: "image/svg+xml" };

/** A file of a page, and the path at which it is served. */
export interface PageFile {
  readonly path: string;
  readonly file: string | URL;
  readonly type: keyof typeof types;
}

/** The files of a page in the folder `page` beside a module, by their names; `index.html` is served at `/`. */
export function pageFiles(module: string, names: readonly string[]): PageFile[] {
  return names.map((name) => ({
    path: name === "index.html" ? "/" : `/${name}`,
    file: new URL(`page/${name}`, module),
    type: name.slice(name.lastIndexOf(".") + 1) as PageFile["type"],
  }));
}

/** What the pages that send files share. */
export const sharedFiles: readonly PageFile[] = pageFiles(import.meta.url, ["base.css", "dropZone.js", "amounts.js", "words.js"]);

/** A file of a page that is made when the example starts. */
export interface MadeFile extends Omit<PageFile, "file"> {
  readonly text: string;
}

/** A page at `/` and the service below `/api`, on one origin. */
export async function pageApp(service: Service, files: readonly (PageFile | MadeFile)[]): Promise<FastifyInstance> {
  const app = fastify();
  for (const { path, type, ...content } of files) {
    const text = "text" in content ? content.text : await readFile(content.file, "utf8");
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

/** Serves a page and the shop until the process receives a signal to stop. Data is kept in memory unless DATA_DIR is set. */
export async function servePage(name: string, createApp: (service: Service) => Promise<FastifyInstance>): Promise<void> {
  try {
    const settings = readSettings({ DATA_DIR: ":memory:", LOG_LEVEL: "warn", ...process.env });
    const service = createShop(settings, pino({ level: settings.logLevel }, pino.destination(2)));
    await service.start();
    const app = await createApp(service);
    await app.listen({ port: settings.port, host: settings.address });
    const server = await listening(app.server);
    console.log(`${name} page at http://${settings.address}:${server.port}`);

    stopOnSignals(() => server.close(() => service.close()));
  } catch (error) {
    console.error(`The ${name} page cannot start: ${error instanceof Error ? error.message : String(error)}`);
    process.exit(1);
  }
}
