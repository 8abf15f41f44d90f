import { keysOf } from "../../adapters/stores/blobs/blobContents.js";
import type { UploadStage } from "./stage.js";

/** What is there of files. */
export interface Left {
  readonly keys: readonly string[];
  /** Ids of records that somebody will have to see to: all but those of files that are ready. */
  readonly records: readonly string[];
  readonly use: { readonly open: number; readonly bytes: number };
}

/** What there is where there is nothing. */
export const nothing: Left = { keys: [], records: [], use: { open: 0, bytes: 0 } };

/** All that is kept of files and of their records, on account of callers without credentials unless told otherwise. */
export async function leftOf({ blobs, storage }: UploadStage, tenant?: string, account = "address 127.0.0.1"): Promise<Left> {
  const { uploads } = storage;
  if (uploads === undefined) throw new Error("The storage keeps no records of uploads.");
  const due = await uploads.due(new Date(8e15), 1_000);
  return { keys: await keysOf(blobs), records: due.map(({ id }) => id), use: await uploads.use(tenant, account) };
}
