import { createRequire } from "node:module";
import type { FastifyInstance } from "fastify";
import type { Service } from "restwright";
import { type PageFile, pageApp } from "../shop/page.js";

const fileOf = (path: string, name: string, type: PageFile["type"]): PageFile => ({ path, file: new URL(`page/${name}`, import.meta.url), type });

const files: readonly PageFile[] = [
  fileOf("/", "index.html", "html"),
  fileOf("/page.css", "page.css", "css"),
  fileOf("/icon.svg", "icon.svg", "svg"),
  ...["page", "sendFile", "sendAvatar", "uploadRow", "fileLink", "problem"].map((name) => fileOf(`/${name}.js`, `${name}.js`, "js")),
  // The client as it is published, for browsers.
  { path: "/tus.js", file: createRequire(import.meta.url).resolve("tus-js-client/dist/tus.min.js"), type: "js" },
];

/** The page at `/` and the service below `/api`, on one origin. */
export function createApp(service: Service): Promise<FastifyInstance> {
  return pageApp(service, files);
}
