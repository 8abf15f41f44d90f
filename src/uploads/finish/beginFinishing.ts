import { changedMeanwhile } from "../records/create.js";
import type { UploadSettings } from "../records/settings.js";
import { type Upload, uploadOf } from "../records/upload.js";

/** How long the checks of a file may go on before somebody else does them again. */
export const finishingMs = 600_000;

/**
 * How long a request may take that has files checked before it is answered, in milliseconds: until then nobody takes it for dead.
 *
 * @param files how many there may be, one checked after the other
 */
export function answeringMs({ checks, checkMs }: Pick<UploadSettings, "checks" | "checkMs">, files = 1): number {
  return Math.min(finishingMs + files * checks.length * checkMs, mostAnsweringMs);
}

/** Nobody waits longer for an answer, however much options allow. */
const mostAnsweringMs = 7 * 24 * 3_600_000;

/** When somebody else does again what is begun now. */
export function finishingUntil({ clock }: Pick<UploadSettings, "clock">): Date {
  return new Date(clock.now() + finishingMs);
}

/**
 * Records that an upload has all of its bytes.
 *
 * @throws {ProblemError} WRITE_CONFLICT
 */
export async function beginFinishing(settings: UploadSettings, { record, data }: Upload): Promise<Upload> {
  const changes = { data: { ...data, status: "processing" as const }, dueAt: new Date(settings.clock.now() + answeringMs(settings)) };
  const outcome = await settings.store.update(record.id, record.version, changes);
  if (outcome.outcome !== "stored") throw changedMeanwhile();
  return uploadOf(outcome.record);
}
