import type { Environment } from "../../engine/operation/environment.js";
import { monotonicOf } from "../../ground/clock/monotonicOf.js";
import { bodyPace } from "../../ground/limits/bodyPace.js";
import { ConfigurationError } from "../../ground/problem/index.js";
import { quoteValue } from "../../ground/problem/quote.js";
import type { BlobDrafts, BlobStore } from "../../ground/storage/files/blobs.js";
import type { AccountLimits } from "../../ground/storage/files/uploads.js";
import type { Principal } from "../../parts/auth/verifier.js";
import { fileChecks } from "../../parts/checks/fileChecks.js";
import { finishAbandoned } from "./finish/finishAbandoned.js";
import { HeartbeatWatch } from "./finish/heartbeatWatch.js";
import { RunningHashes } from "./finish/runningHashes.js";
import { formSettings } from "./forms/settings.js";
import type { UploadOptions } from "./options.js";
import type { UploadSettings } from "./records/settings.js";
import { ActiveUploads } from "./resumable/activeUploads.js";
import { HeldUploads } from "./resumable/heldUploads.js";
import { endExpired } from "./sweep.js";

const gibibyte = 1_073_741_824;
const dayMs = 24 * 3_600_000;

type UploadEnvironment = { readonly blobs: BlobStore } & Pick<Environment, "storage" | "clock" | "timers" | "logger"> &
  Partial<Pick<Environment, "limits"> & Pick<UploadSettings, "resources">>;

/** @throws {ConfigurationError} if an option is invalid, or a store for files or for their records is missing */
export function uploadSettings(
  options: Omit<UploadOptions, "blobs">,
  { blobs, storage, clock, timers, logger, limits, resources = new Map() }: UploadEnvironment,
): UploadSettings {
  const places = placesOf(blobs);
  const store = options.store ?? storage.uploads;
  if (store === undefined) {
    throw new ConfigurationError(
      `The storage "${storage.name}" keeps no records of uploads; give uploads() a "store", such as redisUploads(client).`,
    );
  }
  const { types, checks = [], isAdmin = () => false, maxOpen = 1_000, onReady } = options;
  const settings: UploadSettings = {
    store,
    ...places,
    types,
    checks: fileChecks("uploads", types, checks),
    checkMs: options.checkMs ?? 10_000,
    forms: formSettings(options, limits && bodyPace(limits)),
    maxBytes: options.maxBytes ?? 5 * gibibyte,
    plainBytes: options.plainBytes ?? Math.min(places.blobs.maxBytes ?? Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
    expiresMs: options.expiresMs ?? dayMs,
    durability: options.durability ?? "piece",
    presignSeconds: options.presignSeconds ?? 900,
    visibility: options.visibility ?? "private",
    publicMaxAgeSeconds: options.publicMaxAgeSeconds ?? dayMs / 1_000,
    allowTerminateFinished: options.allowTerminateFinished ?? true,
    resources,
    clock,
    monotonic: monotonicOf(clock),
    timers,
    logger,
    active: new ActiveUploads(),
    held: new HeldUploads(timers),
    hashes: new RunningHashes(),
    watch: new HeartbeatWatch(),
    finishAbandoned: (upload) => finishAbandoned(settings, upload),
    endExpired: (of) => endExpired(settings, of),
    limitsOf: async (principal) => limitsOf(options, maxOpen, principal),
    isAdmin,
    onReady,
  };
  return settings;
}

/** @throws {ConfigurationError} if the blob store does not support drafts */
function placesOf(blobs: BlobStore): { readonly blobs: BlobStore; readonly drafts: BlobDrafts } {
  if (blobs.drafts !== undefined) return { blobs, drafts: blobs.drafts };
  throw new ConfigurationError(
    `The blob store "${blobs.name}" keeps no drafts, which uploads in pieces need: implement "drafts" of BlobStore, or take diskBlobs, memoryBlobs or s3Blobs.`,
  );
}

async function limitsOf({ quotaBytes }: Pick<UploadOptions, "quotaBytes">, maxOpen: number, principal: Principal): Promise<AccountLimits> {
  return { maxOpen, maxBytes: requireQuota(typeof quotaBytes === "function" ? await quotaBytes(principal) : quotaBytes) };
}

/** Rejects values that are not numbers, because they would silently disable the limit. Fractions are rounded down; Infinity means unlimited. */
function requireQuota(bytes: number | undefined): number | undefined {
  if (bytes === undefined || bytes === Number.POSITIVE_INFINITY) return undefined;
  if (typeof bytes === "number" && bytes >= 0) return Math.floor(bytes);
  throw new ConfigurationError(`"uploads.quotaBytes" must be a number of at least 0; got ${quoteValue(bytes)}.`);
}
