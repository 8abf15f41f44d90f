import type { AccountUse, UploadRecord, UploadStore } from "restwright";

/** A store that knows which records were ever made in it. */
export interface WatchedUploads {
  readonly store: UploadStore;
  /** Those that are there now. */
  records(): Promise<readonly UploadRecord[]>;
}

export function watchedUploads(below: UploadStore | undefined): WatchedUploads {
  if (below === undefined) throw new Error("The storage keeps no records of uploads.");
  const ids = new Set<string>();
  return {
    store: {
      ...below,
      create(upload, limits) {
        ids.add(upload.id);
        return below.create(upload, limits);
      },
    },
    async records() {
      const found = await Promise.all([...ids].map((id) => below.get(id)));
      return found.filter((record) => record !== undefined);
    },
  };
}

/** What records take up together, by their accounts. */
export function sumsOf(records: readonly UploadRecord[]): ReadonlyMap<string, AccountUse> {
  const sums = new Map<string, AccountUse>();
  for (const { account, isOpen, bytes } of records) {
    const { open, bytes: before } = sums.get(account) ?? { open: 0, bytes: 0 };
    sums.set(account, { open: open + Number(isOpen), bytes: before + bytes });
  }
  return sums;
}
