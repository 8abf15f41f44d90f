import type { NewUpload, UploadChanges, UploadRecord } from "../../src/storage/uploads.js";
import { fromJson, toJson } from "./jobRecord.js";
import { tenantOf } from "./tenant.js";

/** A record as it is kept: what callers gave is JSON text and milliseconds, so that it is nobody else's. */
export interface StoredUpload extends Omit<UploadRecord, "dueAt" | "data"> {
  /** Since the epoch. */
  readonly dueMs: number | undefined;
  readonly data: string | undefined;
}

export function storedUpload({ id, tenant, owner, account, isOpen, bytes, dueAt, data }: NewUpload): StoredUpload {
  return { ...{ id, version: 1, tenant: tenantOf(tenant), owner, account, isOpen, bytes }, dueMs: dueAt?.getTime(), data: toJson(data) };
}

export function changedUpload(stored: StoredUpload, changes: UploadChanges): StoredUpload {
  const { isOpen = stored.isOpen, bytes = stored.bytes } = changes;
  return {
    ...stored,
    ...{ version: stored.version + 1, isOpen, bytes },
    dueMs: "dueAt" in changes ? changes.dueAt?.getTime() : stored.dueMs,
    data: "data" in changes ? toJson(changes.data) : stored.data,
  };
}

/** A record that nobody else holds. */
export function uploadRecord({ id, version, tenant, owner, account, isOpen, bytes, dueMs, data }: StoredUpload): UploadRecord {
  const dueAt = dueMs === undefined ? undefined : new Date(dueMs);
  return { id, version, tenant, owner, account, isOpen, bytes, dueAt, data: fromJson(data) };
}
