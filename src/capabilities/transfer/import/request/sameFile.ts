import type { Context } from "../../../../engine/operation/context.js";
import type { Begun } from "../../../../ground/storage/idempotency.js";
import { recordId } from "../../../../parts/idempotency/fingerprint.js";
import { jobsOf } from "../../../jobs/settings.js";
import type { ImportFile } from "../file/importFile.js";

const dayMs = 24 * 3_600_000;
/** Longer than it takes to make a job. */
const leaseMs = 60_000;

/** Whether a file was imported before. */
export interface KnownFile {
  /** Id of the import by which the same principal sent the same file within the last 24 hours. */
  readonly earlier: string | undefined;
  /** Records the file, after its job was created. */
  remember(): Promise<void>;
  /** Discards the record, if no job was created. */
  forget(): Promise<void>;
}

const unknown: KnownFile = { earlier: undefined, remember: async () => {}, forget: async () => {} };

/**
 * Looks up whether a file was sent for a collection before. The result is only a warning: errors of the store are logged.
 *
 * @returns an unknown file if the request has an Idempotency-Key, which already tells repetitions
 */
export async function lookUpFile(context: Context, collection: string, { sha256 }: ImportFile, jobId: string): Promise<KnownFile> {
  const { idempotency } = context.environment;
  const jobs = jobsOf(context.environment);
  if (idempotency === undefined || context.keyId !== undefined) return unknown;
  const { store } = idempotency;
  const { tenant, id: owner } = context.principal;
  const id = recordId(tenant, owner, `file ${collection} ${sha256}`);
  const begun = await warning(context, (): Promise<Begun> => store.begin(id, { fingerprint: "file", operationId: jobId, leaseMs, ttlMs: dayMs }));
  if (begun?.kind === "done") {
    const earlier = Buffer.from(begun.response).toString();
    const job = await warning(context, async () => jobs?.store.get(earlier));
    return { ...unknown, earlier: job?.id };
  }
  if (begun?.kind !== "acquired") return unknown;
  return {
    ...unknown,
    remember: async () => void (await warning(context, () => store.complete(id, jobId, begun.attempt, Buffer.from(jobId)))),
    forget: async () => void (await warning(context, async () => store.abandon(id, jobId, begun.attempt))),
  };
}

async function warning<R>({ environment: { logger } }: Context, run: () => Promise<R>): Promise<R | undefined> {
  try {
    return await run();
  } catch (error) {
    logger.warn({ err: error }, "Looking up an earlier import of the same file failed; the import continues without the warning SAME_FILE.");
    return undefined;
  }
}
