import { refusalOf } from "../../../../src/ground/storage/files/uploadAccount.js";
import type {
  AccountLimits,
  AccountUse,
  NewUpload,
  UploadChanges,
  UploadOutcome,
  UploadRecord,
  UploadStore,
} from "../../../../src/ground/storage/files/uploads.js";
import { compareText } from "../../../../src/ground/storage/matches/compareText.js";
import { type Layer, queueWrite } from "../layer.js";
import { smallest } from "../rows/smallest.js";
import { fromJson, toJson } from "./jobRecord.js";
import { tenantOf } from "./records.js";

/** The sums of the records of an account. Bytes are a bigint: the sum may exceed the exact range of a number. */
export interface AccountSums {
  readonly open: number;
  readonly bytes: bigint;
}

/** The upload records of one layer. Each method is one synchronous step; methods that write wait for an open transaction. */
export function uploadsOver(layer: Layer): UploadStore {
  const write = <R>(section: () => R): Promise<R> => queueWrite(layer, section);
  const current = (id: string, version: number) => {
    const stored = layer.records.uploads.get(id);
    return stored?.version === version ? stored : undefined;
  };
  return {
    create: (upload, limits) =>
      write(() => (layer.records.uploads.get(upload.id) === undefined ? replace(layer, undefined, storedUpload(upload), limits) : conflict)),
    async get(id) {
      const stored = layer.records.uploads.get(id);
      return stored && uploadRecord(stored);
    },
    update: (id, version, changes, limits) =>
      write(() => {
        const stored = current(id, version);
        return stored === undefined ? conflict : replace(layer, stored, changedUpload(stored, changes), limits);
      }),
    remove: (id, version) =>
      write(() => {
        const stored = current(id, version);
        if (stored === undefined) return false;
        layer.records.uploads.delete(id);
        addToAccount(layer, stored, difference(stored, undefined));
        return true;
      }),
    async due(now, limit, of) {
      const nowMs = now.getTime();
      const key = of && keyOf({ ...of, tenant: tenantOf(of.tenant) });
      const due = [...layer.records.uploads.entries()].flatMap(([, stored]) =>
        stored.dueMs !== undefined && stored.dueMs <= nowMs && (key === undefined || keyOf(stored) === key) ? [{ stored, dueMs: stored.dueMs }] : [],
      );
      const first = smallest(due, (left, right) => left.dueMs - right.dueMs || compareText(left.stored.id, right.stored.id), limit);
      return first.map(({ stored }) => uploadRecord(stored));
    },
    use: async (tenant, name) => useOf(layer, keyOf({ tenant: tenantOf(tenant), account: name })),
  };
}

const conflict: UploadOutcome = { outcome: "conflict" };

/** Stores a record in place of the previous one, if the limits of its account allow it. */
function replace(layer: Layer, before: StoredUpload | undefined, after: StoredUpload, limits: AccountLimits | undefined): UploadOutcome {
  const more = difference(before, after);
  const refusal = refusalOf(useOf(layer, keyOf(after)), more, limits);
  if (refusal !== undefined) return refusal;
  layer.records.uploads.put(after.id, after);
  addToAccount(layer, after, more);
  return { outcome: "stored", record: uploadRecord(after) };
}

/** What one record uses more than the other. */
function difference(before: StoredUpload | undefined, after: StoredUpload | undefined): AccountUse {
  return { open: Number(after?.isOpen ?? false) - Number(before?.isOpen ?? false), bytes: (after?.bytes ?? 0) - (before?.bytes ?? 0) };
}

/** Adds to the sums of a record's account; removes sums of zero. */
function addToAccount({ records: { uploadAccounts } }: Layer, stored: StoredUpload, more: AccountUse): void {
  const key = keyOf(stored);
  const sums = uploadAccounts.get(key) ?? { open: 0, bytes: 0n };
  const after: AccountSums = { open: sums.open + more.open, bytes: sums.bytes + BigInt(more.bytes) };
  if (after.open === 0 && after.bytes === 0n) uploadAccounts.delete(key);
  else uploadAccounts.put(key, after);
}

function useOf({ records: { uploadAccounts } }: Layer, key: string): AccountUse {
  const { open, bytes } = uploadAccounts.get(key) ?? { open: 0, bytes: 0n };
  return { open, bytes: Number(bytes) };
}

function keyOf({ tenant = "", account: name }: Pick<StoredUpload, "tenant" | "account">): string {
  return JSON.stringify([tenant, name]);
}

/** A stored record. Values of callers are JSON text and milliseconds, so that later changes do not affect them. */
export interface StoredUpload extends Omit<UploadRecord, "dueAt" | "data"> {
  /** In milliseconds since the epoch. */
  readonly dueMs: number | undefined;
  readonly data: string | undefined;
}

function storedUpload({ id, tenant, owner, account, isOpen, bytes, dueAt, data }: NewUpload): StoredUpload {
  return { ...{ id, version: 1, tenant: tenantOf(tenant), owner, account, isOpen, bytes }, dueMs: dueAt?.getTime(), data: toJson(data) };
}

function changedUpload(stored: StoredUpload, changes: UploadChanges): StoredUpload {
  const { isOpen = stored.isOpen, bytes = stored.bytes } = changes;
  return {
    ...stored,
    ...{ version: stored.version + 1, isOpen, bytes },
    dueMs: "dueAt" in changes ? changes.dueAt?.getTime() : stored.dueMs,
    data: "data" in changes ? toJson(changes.data) : stored.data,
  };
}

/** A copy of a stored record. */
function uploadRecord({ id, version, tenant, owner, account, isOpen, bytes, dueMs, data }: StoredUpload): UploadRecord {
  const dueAt = dueMs === undefined ? undefined : new Date(dueMs);
  return { id, version, tenant, owner, account, isOpen, bytes, dueAt, data: fromJson(data) };
}
