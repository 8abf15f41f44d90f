import type { Principal } from "../../auth/verifier.js";
import type { Timers } from "../../http/timers.js";
import type { Clock } from "../../operation/clock.js";
import type { Logger } from "../../operation/logger.js";
import type { BlobDrafts, BlobStore } from "../../storage/blobs.js";
import type { AccountLimits, UploadStore } from "../../storage/uploads.js";
import type { FileCheck } from "../checks/fileCheck.js";
import type { RunningHashes } from "../finish/runningHashes.js";
import type { FormSettings } from "../forms/settings.js";
import type { ReadyFile, UploadOptions, Visibility } from "../options.js";
import type { ActiveUploads } from "../resumable/activeUploads.js";

/** What operations on uploads work with; made once for a service. */
export interface UploadSettings {
  readonly store: UploadStore;
  readonly blobs: BlobStore;
  readonly drafts: BlobDrafts;
  readonly types: UploadOptions["types"];
  /** All of them, that of the types included. */
  readonly checks: readonly FileCheck[];
  readonly checkMs: number;
  /** By their names. */
  readonly forms: ReadonlyMap<string, FormSettings>;
  readonly maximumBytes: number;
  readonly plainBytes: number;
  readonly expiresMs: number;
  readonly presignSeconds: number;
  readonly visibility: Visibility;
  readonly allowTerminateFinished: boolean;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly logger: Logger;
  /** Those of this process. */
  readonly active: ActiveUploads;
  readonly hashes: RunningHashes;
  limitsOf(principal: Principal): Promise<AccountLimits>;
  isAdmin(principal: Principal): boolean;
  onReady?: ((file: ReadyFile) => void | Promise<void>) | undefined;
}
