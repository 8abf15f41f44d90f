import { recordId } from "../idempotency/fingerprint.js";
import type { Context } from "../operation/context.js";
import type { Begun } from "../storage/idempotency.js";
import type { ImportFile } from "./importFile.js";

const dayMs = 24 * 3_600_000;
/** Longer than it takes to make a job. */
const leaseMs = 60_000;

/** What is known of a file that is to be imported. */
export interface KnownFile {
  /** Id of the import that the same principal sent the same file with, not a day ago. */
  readonly earlier: string | undefined;
  /** There is a job now. */
  remember(): Promise<void>;
  /** There is none. */
  forget(): Promise<void>;
}

const unknown: KnownFile = { earlier: undefined, remember: async () => {}, forget: async () => {} };

/**
 * Looks up whether a file was sent for a collection before. It is a warning: no import fails for it.
 *
 * @returns nothing known under an Idempotency-Key, which says what is meant
 */
export async function lookUpFile(context: Context, collection: string, { sha256 }: ImportFile, jobId: string): Promise<KnownFile> {
  const { idempotency, jobs } = context.environment;
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
    logger.warn({ err: error }, "Whether a file was imported before could not be looked up.");
    return undefined;
  }
}
