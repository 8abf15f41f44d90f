import type { Collection, JobStore, Storage } from "restwright";
import { boundStorage, jobsOf, transactionOf } from "./boundStorage.js";

/** The names of rows that are inserted together. */
type Inserts = (names: readonly unknown[]) => boolean;

/** The storage of a process that dies. */
export interface DyingStorage extends Storage {
  isDead(): boolean;
  /** Ends the leases of the dead process on jobs, as other processes do when they notice its death. */
  recover(): Promise<void>;
}

/** A storage as a process sees it that dies when it inserts rows, together with all it has begun. */
export function dyingStorage(storage: Storage, diesOf: Inserts): DyingStorage {
  let dead = false;
  const claims: ReturnType<JobStore["claim"]>[] = [];
  const alive = () => {
    if (dead) throw new Error("The process is dead.");
  };
  const watched = <T extends object>(target: T): T =>
    new Proxy(target, {
      get(_, member) {
        const value: unknown = Reflect.get(target, member, target);
        if (typeof value !== "function") return value;
        return (...values: unknown[]) => {
          if (member === "insertMany") {
            const [rows] = values as Parameters<Required<Collection>["insertMany"]>;
            if (diesOf(rows.map((row) => row["name"]))) dead = true;
          }
          alive();
          const result: unknown = Reflect.apply(value, target, values);
          if (member === "claim") claims.push(result as (typeof claims)[number]);
          return result;
        };
      },
    });
  const of = (inner: Storage): Storage =>
    boundStorage(inner, {
      collection: (model) => watched(inner.collection(model)),
      jobs: watched(jobsOf(inner)),
      transaction: (run, options) =>
        transactionOf(inner)(async (tx) => {
          alive();
          const result = await run(of(tx));
          alive();
          return result;
        }, options),
      close: async () => {},
    });
  return {
    ...of(storage),
    isDead: () => dead,
    async recover() {
      // A claim may have been on its way when the process died.
      const claimed = await Promise.allSettled(claims);
      const leases = claimed.flatMap((claim) => (claim.status === "fulfilled" ? claim.value.map(({ lease }) => lease) : []));
      for (const lease of leases) await jobsOf(storage).release(lease, { delayMs: 0, failed: true });
    },
  };
}
