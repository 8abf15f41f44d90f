import { createHash } from "node:crypto";
import { request as httpRequest } from "node:http";
import { FakeClock } from "restwright/testing";
import { uploadSettings } from "../../../../src/capabilities/uploads/settings.js";
import { sweepOrphans, sweepUploads } from "../../../../src/capabilities/uploads/sweep.js";
import { silentLogger } from "../../../../src/engine/operation/logging/logger.js";
import { systemTimers } from "../../../../src/ground/http/timers.js";
import { type Answer, as, callers, type Sent, type StageOptions, uploadStage } from "../stage.js";

/** A file of text, as it is announced unless a test says otherwise. */
export const greeting = Buffer.from("hello");
export const announced = { filename: "greeting.txt", contentType: "text/plain", size: greeting.length };

export function sha256Of(bytes: Uint8Array | string): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** A service of three callers whose clock is turned by hand. */
export async function presignStage(options: StageOptions = {}, clock = new FakeClock(Date.now())) {
  const stage = await uploadStage({ auth: [callers], clock: { now: () => clock.now() }, ...options });
  const { storage, blobs } = stage;
  const settings = uploadSettings({ types: "any", ...options.uploads }, { storage, blobs, clock, timers: systemTimers, logger: silentLogger });
  const post = (path: string, body?: unknown, token = "ada") =>
    stage.send("POST", path, {
      headers: { ...as(token), "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  return {
    ...stage,
    clock,
    post,
    get: (path: string, token = "ada") => stage.send("GET", path, { headers: as(token) }),
    presign: (changes: object = {}, token = "ada") => post("/uploads/presign", { ...announced, ...changes }, token),
    put: (url: string, { headers, body = greeting, chunked }: Sent = {}) =>
      stage.send("PUT", url, { headers: { "content-type": announced.contentType, ...headers }, body, chunked: chunked ?? false }),
    sweep: () => sweepUploads(settings),
    sweepOrphans: () => sweepOrphans(settings),
    use: async (token = "ada") => storage.uploads?.use(token === "cy" ? "u" : "t", `principal ${token}`),
    async keys() {
      const found: string[] = [];
      for await (const { key } of blobs.list("", { before: new Date(8.64e15) })) found.push(key);
      return found;
    },
  };
}

/** Sends a file to an address of the store itself. @returns its status */
export function sendToStore({ json }: Answer, body: Uint8Array = greeting): Promise<number> {
  return new Promise((resolve, reject) => {
    const { uploadUrl, method, headers } = json as { uploadUrl: string; method: string; headers: Record<string, string> };
    const request = httpRequest(uploadUrl, { method, headers: { ...headers, "content-length": body.length }, agent: false }, (response) => {
      response.resume().on("end", () => resolve(response.statusCode ?? 0));
    });
    request.on("error", reject).end(body);
  });
}
