import { createHash } from "node:crypto";
import type { Context } from "hono";
import type { ReadBody } from "../../src/idempotency/requestFingerprint.js";

/** A body that a middleware before us has read; Hono keeps what came through its own request. */
export async function honoBody({ req }: Context): Promise<ReadBody> {
  const type = req.header("Content-Type")?.toLowerCase() ?? "";
  // Hono would make bytes of a form that was read before, with a boundary that is new each time.
  if (type.startsWith("multipart/form-data") || type.startsWith("application/x-www-form-urlencoded")) {
    return { kind: "parsed", value: await Promise.all(Array.from(await req.formData(), ([name, value]) => formEntry(name, value))) };
  }
  return { kind: "bytes", bytes: new Uint8Array(await req.arrayBuffer()) };
}

async function formEntry(name: string, value: string | File): Promise<readonly string[]> {
  if (typeof value === "string") return [name, value];
  const digest = createHash("sha256").update(new Uint8Array(await value.arrayBuffer()));
  return [name, value.name, value.type, digest.digest("base64")];
}
