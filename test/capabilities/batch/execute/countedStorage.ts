import type { ItemResult } from "restwright/batch";
import { memoryStorage } from "restwright/memory";
import type { Storage } from "../../../../src/ground/storage/storage.js";

/** A storage whose transactions are counted. */
export function countedStorage() {
  const storage = memoryStorage();
  const seen = { begun: 0, committed: 0, rolledBack: 0 };
  const counting: Storage = {
    name: storage.name,
    collection: (model) => storage.collection(model),
    async transaction(run, options) {
      seen.begun += 1;
      try {
        if (storage.transaction === undefined) throw new Error("Memory has transactions.");
        const result = await storage.transaction(run, options);
        seen.committed += 1;
        return result;
      } catch (error) {
        seen.rolledBack += 1;
        throw error;
      }
    },
  };
  return { storage: counting, seen };
}

export function created(id: unknown): ItemResult {
  return { status: 201, id };
}

export function codesOf(results: readonly ItemResult[]): readonly (string | undefined)[] {
  return results.map(({ error }) => error?.code);
}
