import type { FastifyInstance } from "fastify";
import type { Service } from "restwright";
import { clientScript } from "../shop/clientScript.js";
import { pageApp, pageFiles, sharedFiles } from "../shop/page.js";

const names = ["index.html", "page.css", "icon.svg", "page.js", "fetchWithProgress.js", "jobView.js", "errorTable.js", "problemView.js"];
const files = pageFiles(import.meta.url, names);

/** The page at `/` and the service below `/api`, on one origin. */
export async function createApp(service: Service): Promise<FastifyInstance> {
  return pageApp(service, [...files, ...sharedFiles, { path: "/client.js", text: await clientScript(), type: "js" }]);
}
