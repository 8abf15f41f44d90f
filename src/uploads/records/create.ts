import { randomBytes } from "node:crypto";
import { anonymous } from "../../auth/verifier.js";
import type { Context } from "../../operation/context.js";
import { ProblemError } from "../../problem/index.js";
import type { AccountLimits, AccountUse, UploadOutcome } from "../../storage/uploads.js";
import type { UploadSettings } from "./settings.js";
import { type Upload, type UploadData, uploadOf } from "./upload.js";

/** What is known of an upload before it begins. */
export interface NewUploadData extends Omit<UploadData, "createdMs"> {
  readonly id: string;
  /** What is reserved for it. */
  readonly bytes: number;
  /** When it is given up, in milliseconds since the epoch, where that is not the usual time. */
  readonly dueMs?: number | undefined;
}

/** 128 random bits in hex: nobody finds an upload by trying. */
export function newUploadId(): string {
  return randomBytes(16).toString("hex");
}

/**
 * Keeps a record of an upload that begins.
 *
 * @throws {ProblemError} QUOTA_EXCEEDED
 */
export async function createUpload(
  settings: UploadSettings,
  context: Pick<Context, "principal" | "request">,
  { id, bytes, dueMs, ...data }: NewUploadData,
  limits?: AccountLimits,
): Promise<Upload> {
  const { principal } = context;
  const now = settings.clock.now();
  const asked = limits ?? (await settings.limitsOf(principal));
  const outcome = await settings.store.create(
    {
      id,
      tenant: principal.tenant,
      owner: principal.id,
      account: accountOf(context),
      isOpen: true,
      bytes,
      dueAt: new Date(dueMs ?? now + settings.expiresMs),
      data: { ...data, createdMs: now } satisfies UploadData,
    },
    asked,
  );
  if (outcome.outcome === "stored") return uploadOf(outcome.record);
  throw outcomeProblem(outcome, asked, bytes);
}

/** Whose limits a request counts for. */
export function accountOf({ principal, request }: Pick<Context, "principal" | "request">): string {
  return principal === anonymous ? `address ${request.address ?? ""}` : `principal ${principal.id}`;
}

/** What is said of a record that is not as it was read any more. */
export function changedMeanwhile(): ProblemError {
  return new ProblemError("WRITE_CONFLICT", "The upload was changed by another request meanwhile.");
}

/** What is said of a record that was not stored. */
export function outcomeProblem(
  outcome: Exclude<UploadOutcome, { readonly outcome: "stored" }>,
  limits: AccountLimits,
  requested: number,
): ProblemError {
  if (outcome.outcome === "conflict") return changedMeanwhile();
  const { use } = outcome;
  return outcome.outcome === "over-quota" ? overQuota(use, limits.mostBytes ?? 0, requested) : tooManyOpen(use, limits.mostOpen ?? 0);
}

/** What is said to who has no room for so many bytes. */
export function overQuota(use: AccountUse, limit: number, requested: number): ProblemError {
  const remaining = Math.max(0, limit - use.bytes);
  return new ProblemError("QUOTA_EXCEEDED", `Your files may take up ${limit} bytes; ${remaining} are left.`, {
    extensions: { quota: { limit, used: use.bytes, remaining, requested } },
  });
}

function tooManyOpen(use: AccountUse, limit: number): ProblemError {
  return new ProblemError("QUOTA_EXCEEDED", `${limit} uploads may be unfinished at a time. Finish or delete some.`, {
    extensions: { quota: { limit, used: use.open, remaining: Math.max(0, limit - use.open), requested: 1 } },
  });
}
