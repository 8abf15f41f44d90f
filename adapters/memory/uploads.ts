import { refusalOf } from "../../src/storage/uploadAccount.js";
import type { AccountLimits, AccountUse, UploadOutcome, UploadStore } from "../../src/storage/uploads.js";
import { compareText } from "./compare.js";
import { type Layer, writeInTurn } from "./layer.js";
import { smallest } from "./smallest.js";
import { tenantOf } from "./tenant.js";
import { changedUpload, type StoredUpload, storedUpload, uploadRecord } from "./uploadRecord.js";

/** What the records of an account take up together. Sums may lie beyond what a number holds exactly. */
export interface AccountSums {
  readonly open: number;
  readonly bytes: bigint;
}

/** The records of uploads of one layer. Each method is one synchronous section; those that write wait for an open transaction. */
export function uploadsOver(layer: Layer): UploadStore {
  const write = <R>(section: () => R): Promise<R> => writeInTurn(layer, section);
  const current = (id: string, version: number) => {
    const stored = layer.uploads.get(id);
    return stored?.version === version ? stored : undefined;
  };
  return {
    create: (upload, limits) =>
      write(() => (layer.uploads.get(upload.id) === undefined ? replace(layer, undefined, storedUpload(upload), limits) : conflict)),
    async get(id) {
      const stored = layer.uploads.get(id);
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
        layer.uploads.delete(id);
        account(layer, stored, difference(stored, undefined));
        return true;
      }),
    async due(now, limit) {
      const nowMs = now.getTime();
      const due = [...layer.uploads.entries()].flatMap(([, stored]) =>
        stored.dueMs !== undefined && stored.dueMs <= nowMs ? [{ stored, dueMs: stored.dueMs }] : [],
      );
      const first = smallest(due, (left, right) => left.dueMs - right.dueMs || compareText(left.stored.id, right.stored.id), limit);
      return first.map(({ stored }) => uploadRecord(stored));
    },
    use: async (tenant, name) => useOf(layer, keyOf({ tenant: tenantOf(tenant), account: name })),
  };
}

const conflict: UploadOutcome = { outcome: "conflict" };

/** Keeps a record in the place of the one before, if its account may have it. */
function replace(layer: Layer, before: StoredUpload | undefined, after: StoredUpload, limits: AccountLimits | undefined): UploadOutcome {
  const more = difference(before, after);
  const refusal = refusalOf(useOf(layer, keyOf(after)), more, limits);
  if (refusal !== undefined) return refusal;
  layer.uploads.put(after.id, after);
  account(layer, after, more);
  return { outcome: "stored", record: uploadRecord(after) };
}

/** What one record takes up more than the other. */
function difference(before: StoredUpload | undefined, after: StoredUpload | undefined): AccountUse {
  return { open: Number(after?.isOpen ?? false) - Number(before?.isOpen ?? false), bytes: (after?.bytes ?? 0) - (before?.bytes ?? 0) };
}

/** Adds to the sums of a record's account; those of nothing go. */
function account({ uploadAccounts }: Layer, stored: StoredUpload, more: AccountUse): void {
  const key = keyOf(stored);
  const sums = uploadAccounts.get(key) ?? { open: 0, bytes: 0n };
  const after: AccountSums = { open: sums.open + more.open, bytes: sums.bytes + BigInt(more.bytes) };
  if (after.open === 0 && after.bytes === 0n) uploadAccounts.delete(key);
  else uploadAccounts.put(key, after);
}

function useOf({ uploadAccounts }: Layer, key: string): AccountUse {
  const { open, bytes } = uploadAccounts.get(key) ?? { open: 0, bytes: 0n };
  return { open, bytes: Number(bytes) };
}

function keyOf({ tenant = "", account: name }: Pick<StoredUpload, "tenant" | "account">): string {
  return JSON.stringify([tenant, name]);
}
