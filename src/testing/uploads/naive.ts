import type { AccountLimits, AccountUse, NewUpload, UploadChanges, UploadOutcome, UploadRecord } from "../../ground/storage/files/uploads.js";

/** The simplest upload store, for comparison: it handles calls one after the other and computes sums anew each time. */
export class NaiveUploads {
  readonly #records = new Map<string, UploadRecord>();

  create(upload: NewUpload, limits: AccountLimits): UploadOutcome {
    if (this.#records.has(upload.id)) return { outcome: "conflict" };
    return this.#replace(undefined, { ...upload, version: 1 }, limits);
  }

  get(id: string): UploadRecord | undefined {
    return this.#records.get(id);
  }

  update(id: string, version: number, changes: UploadChanges, limits: AccountLimits): UploadOutcome {
    const before = this.#records.get(id);
    if (before?.version !== version) return { outcome: "conflict" };
    return this.#replace(before, { ...before, ...changes, version: version + 1 }, limits);
  }

  remove(id: string, version: number): boolean {
    return this.#records.get(id)?.version === version && this.#records.delete(id);
  }

  /** Records with the same due time have no guaranteed order. */
  due(now: Date): readonly UploadRecord[] {
    const due = [...this.#records.values()].filter(({ dueAt }) => dueAt !== undefined && dueAt <= now);
    return due.sort((left, right) => Number(left.dueAt) - Number(right.dueAt));
  }

  use(tenant: string | undefined, account: string): AccountUse {
    const own = [...this.#records.values()].filter((record) => record.tenant === tenant && record.account === account);
    return { open: own.filter(({ isOpen }) => isOpen).length, bytes: own.reduce((sum, { bytes }) => sum + bytes, 0) };
  }

  #replace(before: UploadRecord | undefined, after: UploadRecord, limits: AccountLimits): UploadOutcome {
    const { maxOpen = 1e9, maxBytes = 1e9 } = limits;
    const use = this.use(after.tenant, after.account);
    const isOpened = after.isOpen && before?.isOpen !== true;
    if (isOpened && use.open >= maxOpen) return { outcome: "too-many-open", use };
    const added = after.bytes - (before?.bytes ?? 0);
    if (added > 0 && added > maxBytes - use.bytes) return { outcome: "over-quota", use };
    this.#records.set(after.id, after);
    return { outcome: "stored", record: after };
  }
}
