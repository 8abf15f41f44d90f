import type { FastifyInstance } from "fastify";
import type { Service } from "restwright";
import { clientScript } from "../shop/clientScript.js";
import { pageApp, pageFiles, sharedFiles } from "../shop/page.js";

const files = pageFiles(import.meta.url, [
  "index.html",
  "page.css",
  "icon.svg",
  "page.js",
  "uploadRow.js",
  "sendAvatar.js",
  "people.js",
  "fileLink.js",
]);

/** The page at `/` and the service below `/api`, on one origin. */
export async function createApp(service: Service): Promise<FastifyInstance> {
  const [client, uploads] = await Promise.all([clientScript(), clientScript("client/uploads")]);
  return pageApp(service, [
    ...files,
    ...sharedFiles,
    { path: "/client.js", text: client, type: "js" },
    { path: "/uploads.js", text: uploads, type: "js" },
  ]);
}
