import { randomBytes } from "node:crypto";
import type { Context } from "../../../engine/operation/context.js";
import { addressKey } from "../../../ground/http/address/addressKey.js";
import { ProblemError } from "../../../ground/problem/index.js";
import type { AccountLimits, AccountUse, NewUpload, UploadAccount, UploadOutcome } from "../../../ground/storage/files/uploads.js";
import { anonymous } from "../../../parts/auth/verifier.js";
import type { UploadSettings } from "./settings.js";
import { type Upload, type UploadData, uploadOf } from "./upload.js";

/** The data of a new upload. */
export interface NewUploadData extends Omit<UploadData, "createdMs"> {
  readonly id: string;
  /** Bytes reserved of the quota. */
  readonly bytes: number;
  /** When it expires, in milliseconds since the epoch (default: after `expiresMs`). */
  readonly dueMs?: number | undefined;
}

/** 128 random bits in hex, so that ids cannot be guessed. */
export function newUploadId(): string {
  return randomBytes(16).toString("hex");
}

/**
 * Creates the record of a new upload.
 *
 * @throws {ProblemError} QUOTA_EXCEEDED
 */
export async function createUpload(
  settings: UploadSettings,
  context: Pick<Context, "principal" | "authRequest">,
  { id, bytes, dueMs, ...data }: NewUploadData,
  limits?: AccountLimits,
): Promise<Upload> {
  const { principal } = context;
  const now = settings.clock.now();
  const asked = limits ?? (await settings.limitsOf(principal));
  const upload: NewUpload = {
    id,
    tenant: principal.tenant,
    owner: principal.id,
    account: accountOf(context),
    isOpen: true,
    bytes,
    dueAt: new Date(dueMs ?? now + settings.expiresMs),
    data: { ...data, createdMs: now } satisfies UploadData,
  };
  const outcome = await storeWithin(settings, upload, () => settings.store.create(upload, asked));
  if (outcome.outcome === "stored") return uploadOf(outcome.record);
  throw outcomeProblem(outcome, asked, bytes);
}

/**
 * Runs a write that may use more of an account's quota. If it exceeds a limit, the expired uploads of the account are discarded first.
 *
 * @param write called again if uploads were discarded
 */
export async function storeWithin(settings: UploadSettings, of: UploadAccount, write: () => Promise<UploadOutcome>): Promise<UploadOutcome> {
  const outcome = await write();
  const isRefused = outcome.outcome === "over-quota" || outcome.outcome === "too-many-open";
  return isRefused && (await settings.endExpired(of)) ? write() : outcome;
}

/** The account that a request is charged to. */
export function accountOf({ principal, authRequest }: Pick<Context, "principal" | "authRequest">): string {
  return principal === anonymous ? `address ${addressKey(authRequest.address ?? "")}` : `principal ${principal.id}`;
}

/** The problem for a record that has changed since it was read. */
export function changedMeanwhile(): ProblemError {
  return new ProblemError("WRITE_CONFLICT", "The upload was changed by another request meanwhile.");
}

/** The problem for a record that was not stored. */
export function outcomeProblem(
  outcome: Exclude<UploadOutcome, { readonly outcome: "stored" }>,
  limits: AccountLimits,
  requested: number,
): ProblemError {
  if (outcome.outcome === "conflict") return changedMeanwhile();
  const { use } = outcome;
  return outcome.outcome === "over-quota" ? overQuota(use, limits.maxBytes ?? 0, requested) : tooManyOpen(use, limits.maxOpen ?? 0);
}

/** The problem for a request that exceeds the byte quota. */
export function overQuota(use: AccountUse, limit: number, requested: number): ProblemError {
  const remaining = Math.max(0, limit - use.bytes);
  return new ProblemError("QUOTA_EXCEEDED", `Your files may use ${limit} bytes; ${remaining} are left.`, {
    extensions: { quota: { limit, used: use.bytes, remaining, requested } },
  });
}

function tooManyOpen(use: AccountUse, limit: number): ProblemError {
  return new ProblemError("QUOTA_EXCEEDED", `${limit} uploads may be unfinished at a time. Finish or delete some.`, {
    extensions: { quota: { limit, used: use.open, remaining: Math.max(0, limit - use.open), requested: 1 } },
  });
}
