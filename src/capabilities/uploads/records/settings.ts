import type { Logger } from "../../../engine/operation/logging/logger.js";
import type { LinkedResource } from "../../../engine/resource/relations/link.js";
import type { Clock } from "../../../ground/clock/clock.js";
import type { Timers } from "../../../ground/http/timers.js";
import type { BlobDrafts, BlobStore } from "../../../ground/storage/files/blobs.js";
import type { AccountLimits, UploadAccount, UploadStore } from "../../../ground/storage/files/uploads.js";
import type { Principal } from "../../../parts/auth/verifier.js";
import type { FileCheck } from "../../../parts/checks/fileCheck.js";
import type { HeartbeatWatch } from "../finish/heartbeatWatch.js";
import type { RunningHashes } from "../finish/runningHashes.js";
import type { FormSettings } from "../forms/settings.js";
import type { Durability, ReadyFile, UploadOptions, Visibility } from "../options.js";
import type { ActiveUploads } from "../resumable/activeUploads.js";
import type { HeldUploads } from "../resumable/heldUploads.js";
import type { Upload } from "./upload.js";

/** Settings of the upload operations, created once for a service. */
export interface UploadSettings {
  readonly store: UploadStore;
  readonly blobs: BlobStore;
  readonly drafts: BlobDrafts;
  readonly types: UploadOptions["types"];
  /** All checks, including the type check. */
  readonly checks: readonly FileCheck[];
  readonly checkMs: number;
  /** By name. */
  readonly forms: ReadonlyMap<string, FormSettings>;
  readonly maxBytes: number;
  readonly plainBytes: number;
  readonly expiresMs: number;
  readonly durability: Durability;
  readonly presignSeconds: number;
  readonly visibility: Visibility;
  readonly publicMaxAgeSeconds: number;
  readonly allowTerminateFinished: boolean;
  /** The collections whose rows may hold files, by their names. */
  readonly resources: ReadonlyMap<string, LinkedResource>;
  readonly clock: Clock;
  /** Milliseconds of the monotonic clock: for what is measured within this process. */
  monotonic(): number;
  readonly timers: Timers;
  readonly logger: Logger;
  /** The active uploads of this process. */
  readonly active: ActiveUploads;
  readonly held: HeldUploads;
  readonly hashes: RunningHashes;
  readonly watch: HeartbeatWatch;
  /** Takes over an upload whose process died while finishing it. @returns whether the upload was finished or ended */
  finishAbandoned(upload: Upload): Promise<boolean>;
  /** Discards the expired uploads of an account. @returns whether any upload was discarded */
  endExpired(of: UploadAccount): Promise<boolean>;
  limitsOf(principal: Principal): Promise<AccountLimits>;
  isAdmin(principal: Principal): boolean;
  onReady?: ((file: ReadyFile) => void | Promise<void>) | undefined;
}
