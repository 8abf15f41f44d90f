import type { Context } from "../../../engine/operation/context.js";
import type { Operation } from "../../../engine/operation/operation.js";
import { jsonBody } from "../../../engine/resource/write/jsonBody.js";
import type { HttpResponse } from "../../../ground/http/message.js";
import type { Limits } from "../../../ground/limits/limits.js";
import { ProblemError } from "../../../ground/problem/index.js";
import { findLiving } from "../records/find.js";
import type { UploadSettings } from "../records/settings.js";
import type { Upload } from "../records/upload.js";
import { dueMsOf, secondsOf } from "./addressTime.js";
import { partedUpload, readPartNumbers } from "./parts.js";

/** GET that lists the parts that have arrived. */
export function listPartsOperation(settings: UploadSettings): Operation {
  return {
    name: "uploads.listParts",
    method: "GET",
    standsAlone: true,
    access: { action: "read", collection: "uploads" },
    async run(context) {
      const { data, record } = await findOpen(settings, context);
      const { key, draft, directParts } = partedUpload(settings, { record, data });
      const parts = await directParts.list(key, draft);
      return answer({ uploadId: record.id, partSize: draft.partBytes, size: data.length, parts });
    },
  };
}

/** POST that signs URLs for more parts, or new URLs for parts whose URLs have expired. */
export function signPartsOperation(settings: UploadSettings, limits: Limits): Operation {
  return {
    name: "uploads.signParts",
    method: "POST",
    // It only signs, so an idempotency key is not needed and is ignored.
    takesKey: false,
    standsAlone: true,
    access: { action: "create", collection: "uploads" },
    body: jsonBody(limits),
    run: (context) => signParts(settings, context),
  };
}

async function signParts(settings: UploadSettings, context: Context): Promise<HttpResponse> {
  const expiresIn = settings.presignSeconds;
  const expiresAt = secondsOf(settings) + expiresIn;
  let upload = await findOpen(settings, context);
  const { key, draft, directParts, last } = partedUpload(settings, upload);
  const numbers = readPartNumbers(context.body, last);
  // Concurrent requests of a client may change the record.
  while (!(await prolong(settings, upload, expiresAt))) upload = await findOpen(settings, context);
  const parts = await directParts.presign(key, draft, numbers, { expiresIn });
  return answer({ uploadId: upload.record.id, partSize: draft.partBytes, expiresIn, expiresAt: new Date(expiresAt * 1_000).toISOString(), parts });
}

/** @throws {ProblemError} NOT_FOUND, GONE, EXPIRED, ALREADY_UPLOADED */
async function findOpen(settings: UploadSettings, context: Context): Promise<Upload> {
  const upload = await findLiving(settings, context);
  if (upload.data.status === "uploading") return upload;
  throw new ProblemError("ALREADY_UPLOADED", "The upload already has all of its parts.");
}

/** Keeps the upload from expiring before its newest URLs. @returns `false` if the record was changed concurrently */
async function prolong(settings: UploadSettings, { record, data }: Upload, expiresAt: number): Promise<boolean> {
  const { direct } = data;
  if (direct === undefined || direct.expiresAt >= expiresAt) return true;
  const changes = { data: { ...data, direct: { ...direct, expiresAt } }, dueAt: new Date(dueMsOf(expiresAt)) };
  const outcome = await settings.store.update(record.id, record.version, changes);
  return outcome.outcome === "stored";
}

function answer(document: object): HttpResponse {
  return {
    status: 200,
    headers: { "content-type": "application/json", "cache-control": "no-store" },
    body: JSON.stringify(document),
  };
}
