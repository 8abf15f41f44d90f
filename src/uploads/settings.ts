import type { Principal } from "../auth/verifier.js";
import type { Environment } from "../operation/environment.js";
import { ConfigurationError } from "../problem/index.js";
import type { AccountLimits } from "../storage/uploads.js";
import { fileChecks } from "./checks/fileChecks.js";
import { isSeconds, longestSeconds } from "./direct/presignRequest.js";
import { RunningHashes } from "./finish/runningHashes.js";
import { formSettings } from "./forms/settings.js";
import type { UploadOptions } from "./options.js";
import type { UploadSettings } from "./records/settings.js";
import { ActiveUploads } from "./resumable/activeUploads.js";

const gibibyte = 1_073_741_824;
const dayMs = 24 * 3_600_000;

type Basis = Pick<Environment, "blobs" | "storage" | "clock" | "timers" | "logger">;

/** @throws {ConfigurationError} for options that cannot work, and where there is nowhere to keep files or their records */
export function uploadSettings(options: UploadOptions, { blobs, storage, clock, timers, logger }: Basis): UploadSettings {
  const store = options.store ?? storage.uploads;
  if (blobs === undefined) throw new ConfigurationError(`Uploads need a place for files; give "blobs" to createService.`);
  if (blobs.drafts === undefined) throw new ConfigurationError(`The blob store "${blobs.name}" keeps no drafts: uploads could not be resumed.`);
  if (store === undefined)
    throw new ConfigurationError(`The storage "${storage.name}" keeps no records of uploads; give "uploads.store" to createService.`);
  const { types, checks = [], isAdmin = () => false, mostOpen = 1_000, onReady } = options;
  const most = atLeast("mostOpen", mostOpen, 1);
  return {
    store,
    blobs,
    drafts: blobs.drafts,
    types,
    checks: fileChecks(types, checks),
    checkMs: atLeast("checkMs", options.checkMs ?? 10_000, 1),
    forms: formSettings(options),
    maximumBytes: atLeast("maximumBytes", options.maximumBytes ?? 5 * gibibyte, 0),
    plainBytes: options.plainBytes === undefined ? Number.MAX_SAFE_INTEGER : atLeast("plainBytes", options.plainBytes, 0),
    expiresMs: atLeast("expiresMs", options.expiresMs ?? dayMs, 1_000),
    presignSeconds: presignSecondsOf(options.presignSeconds ?? 900),
    visibility: options.visibility ?? "private",
    allowTerminateFinished: options.allowTerminateFinished ?? true,
    clock,
    timers,
    logger,
    active: new ActiveUploads(),
    hashes: new RunningHashes(),
    limitsOf: async (principal) => limitsOf(options, most, principal),
    isAdmin,
    onReady,
  };
}

async function limitsOf({ quotaBytes }: UploadOptions, mostOpen: number, principal: Principal): Promise<AccountLimits> {
  return { mostOpen, mostBytes: typeof quotaBytes === "function" ? await quotaBytes(principal) : quotaBytes };
}

function presignSecondsOf(value: number): number {
  if (isSeconds(value)) return value;
  throw new ConfigurationError(`"uploads.presignSeconds" must be a whole number from 1 to ${longestSeconds}; got ${value}.`);
}

function atLeast(name: string, value: number, least: number): number {
  if (Number.isSafeInteger(value) && value >= least) return value;
  throw new ConfigurationError(`"uploads.${name}" must be a whole number of at least ${least}; got ${value}.`);
}
