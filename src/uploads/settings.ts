import type { Principal } from "../auth/verifier.js";
import type { Environment } from "../operation/environment.js";
import { ConfigurationError, functionOrNone, oneOf, requireOptions, shown, wholeNumber } from "../problem/index.js";
import type { BlobDrafts, BlobStore } from "../storage/blobs.js";
import type { AccountLimits } from "../storage/uploads.js";
import { fileChecks } from "./checks/fileChecks.js";
import { longestSeconds } from "./direct/presignRequest.js";
import { RunningHashes } from "./finish/runningHashes.js";
import { formSettings } from "./forms/settings.js";
import { type UploadOptions, visibilities } from "./options.js";
import type { UploadSettings } from "./records/settings.js";
import { ActiveUploads } from "./resumable/activeUploads.js";

const gibibyte = 1_073_741_824;
const dayMs = 24 * 3_600_000;

/** Every option, so that one that is misspelled is told from one that is there. */
export const uploadOptionNames = {
  types: true,
  checks: true,
  checkMs: true,
  maximumBytes: true,
  plainBytes: true,
  presignSeconds: true,
  expiresMs: true,
  mostOpen: true,
  quotaBytes: true,
  forms: true,
  visibility: true,
  allowTerminateFinished: true,
  isAdmin: true,
  onReady: true,
  store: true,
} as const satisfies Record<keyof UploadOptions, true>;

type Basis = Pick<Environment, "blobs" | "storage" | "clock" | "timers" | "logger">;

/** @throws {ConfigurationError} for options that cannot work, and where there is nowhere to keep files or their records */
export function uploadSettings(options: UploadOptions, { blobs, storage, clock, timers, logger }: Basis): UploadSettings {
  requireOptions("uploads", options, uploadOptionNames);
  const places = placesOf(blobs);
  const store = options.store ?? storage.uploads;
  if (store === undefined) {
    throw new ConfigurationError(
      `The storage "${storage.name}" keeps no records of uploads; give "uploads.store" to createService, such as redisUploads(client).`,
    );
  }
  if (typeof store.create !== "function") throw new ConfigurationError(`"uploads.store" must be an UploadStore; got ${shown(store)}.`);
  const { types, checks = [], isAdmin = () => false, mostOpen = 1_000, onReady, quotaBytes } = options;
  const most = atLeast("mostOpen", mostOpen, 1);
  if (typeof quotaBytes !== "function") requireQuota(quotaBytes);
  return {
    store,
    ...places,
    types,
    checks: fileChecks("uploads", types, checks),
    checkMs: atLeast("checkMs", options.checkMs ?? 10_000, 1),
    forms: formSettings(options),
    maximumBytes: atLeast("maximumBytes", options.maximumBytes ?? 5 * gibibyte, 0),
    plainBytes: atLeast("plainBytes", options.plainBytes ?? Math.min(places.blobs.mostBytes ?? Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER), 0),
    expiresMs: atLeast("expiresMs", options.expiresMs ?? dayMs, 1_000),
    presignSeconds: wholeNumber("uploads.presignSeconds", options.presignSeconds ?? 900, 1, longestSeconds),
    visibility: oneOf("uploads.visibility", options.visibility ?? "private", visibilities),
    allowTerminateFinished: oneOf("uploads.allowTerminateFinished", options.allowTerminateFinished ?? true, [true, false]),
    clock,
    timers,
    logger,
    active: new ActiveUploads(),
    hashes: new RunningHashes(),
    limitsOf: async (principal) => limitsOf(options, most, principal),
    isAdmin: functionOrNone("uploads.isAdmin", isAdmin),
    onReady: functionOrNone("uploads.onReady", onReady),
  };
}

/** @throws {ConfigurationError} where there is no store for files, or one that cannot take them in pieces */
function placesOf(blobs: BlobStore | undefined): { readonly blobs: BlobStore; readonly drafts: BlobDrafts } {
  const what = `give "blobs" to createService, such as diskBlobs({ path: "data/blobs" })`;
  if (blobs === undefined) throw new ConfigurationError(`Uploads need a place for files; ${what}.`);
  if (typeof blobs.open !== "function") throw new ConfigurationError(`"blobs" must be a BlobStore; got ${shown(blobs)}: ${what}.`);
  if (blobs.drafts !== undefined) return { blobs, drafts: blobs.drafts };
  throw new ConfigurationError(
    `The blob store "${blobs.name}" keeps no drafts, which uploads in pieces need: implement "drafts" of BlobStore, or take diskBlobs, memoryBlobs or s3Blobs.`,
  );
}

async function limitsOf({ quotaBytes }: UploadOptions, mostOpen: number, principal: Principal): Promise<AccountLimits> {
  return { mostOpen, mostBytes: requireQuota(typeof quotaBytes === "function" ? await quotaBytes(principal) : quotaBytes) };
}

/** What is no number would be no limit, and nobody would know. Quotas are often reckoned: what is left of a byte is none, and infinity is said to be no limit. */
function requireQuota(bytes: number | undefined): number | undefined {
  if (bytes === undefined || bytes === Number.POSITIVE_INFINITY) return undefined;
  if (typeof bytes === "number" && bytes >= 0) return Math.floor(bytes);
  throw new ConfigurationError(`"uploads.quotaBytes" must be a number of at least 0; got ${shown(bytes)}.`);
}

function atLeast(name: string, value: number, least: number): number {
  return wholeNumber(`uploads.${name}`, value, least);
}
