import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { createService, type HttpRequest, type Service } from "restwright";
import { diskBlobs } from "restwright/disk";
import { jobs } from "restwright/jobs";
import { transfer } from "restwright/transfer";
import { openStorage } from "../tools/openStorage.js";
import type { Store } from "../tools/serverOptions.js";
import { orders, users } from "../tools/shopCollections.js";

/** A service with users. @param folder for the files that it receives */
export async function openService(store: Store, location: string, folder: string): Promise<Service> {
  const service = createService({
    resources: [users, orders],
    storage: await openStorage({ store, location }),
    use: [jobs(), transfer({ blobs: diskBlobs({ path: mkdtempSync(join(folder, "blobs-")) }) })],
  });
  await service.start();
  return service;
}

/**
 * From the request to the end of its job.
 *
 * @param options of the import, as the rest of its query
 * @returns how many rows were created or updated
 * @throws {Error} if the job or a row fails
 */
export async function imported(service: Service, contentType: string, file: Buffer, options = ""): Promise<number> {
  const accepted = await service.handle(requestOf("POST", "/imports", `collection=users${options}`, { contentType, file }));
  const location = String(accepted?.headers["location"]);
  for (;;) {
    const answer = await service.handle(requestOf("GET", location, ""));
    const job = JSON.parse(String(answer?.body)) as { status: string; result: { created: number; updated: number; failed: number } };
    if (job.status === "completed" && job.result.failed === 0) return job.result.created + job.result.updated;
    if (job.status === "completed" || job.status === "failed") throw new Error(`An import ended so: ${JSON.stringify(job)}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** @returns how many rows the answer has @throws {Error} unless it is answered 200 */
export async function exported(service: Service, format: "csv" | "ndjson"): Promise<number> {
  const answer = await service.handle(requestOf("GET", "/users/export", `format=${format}&fields=id,name,email,status,tags,address,createdAt`));
  let lines = format === "csv" ? -1 : 0;
  if (answer?.status !== 200) throw new Error(`An export was answered ${answer?.status}.`);
  for await (const chunk of answer.body as AsyncIterable<string | Uint8Array>) {
    const bytes = typeof chunk === "string" ? Buffer.from(chunk) : chunk;
    for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, at + 1)) lines += 1;
  }
  return lines;
}

function requestOf(
  method: string,
  path: string,
  query: string,
  { contentType, file }: { readonly contentType?: string; readonly file?: Uint8Array } = {},
): HttpRequest {
  return {
    method,
    path,
    query,
    mount: "",
    headers: contentType === undefined ? [] : ["content-type", contentType],
    body: file === undefined ? { kind: "none" } : { kind: "bytes", bytes: file },
    signal: new AbortController().signal,
    native: undefined,
  };
}
