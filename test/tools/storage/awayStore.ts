import { Unavailable } from "../../../src/ground/storage/errors.js";
import type { JobStore } from "../../../src/ground/storage/queue/jobs.js";
import type { Storage } from "../../../src/ground/storage/storage.js";

/** Whether stores are away, which a test decides. */
export interface Outage {
  isAway: boolean;
}

/** The same store, none of whose methods answers while it is away. */
export function awayStore<Store extends object>(store: Store, outage: Outage): Store {
  return new Proxy(store, {
    get(target, name) {
      const member = Reflect.get(target, name, target) as unknown;
      if (typeof member !== "function") return member;
      return (...given: unknown[]) =>
        outage.isAway ? Promise.reject(new Unavailable("The store is away.")) : (Reflect.apply(member, target, given) as unknown);
    },
  });
}

/** Stores of work, whose next claims are made, and their answers lost. */
export interface LostClaims {
  /** Of how many claims that lease something the answer is lost from now on. */
  left: number;
}

/** The same store, which loses answers of claims as a connection does that breaks after a commit. */
export function losingStore<Store extends { claim(request: never): Promise<readonly unknown[]> }>(store: Store, lost: LostClaims): Store {
  const claim = async (request: never) => {
    const claimed = await store.claim(request);
    if (claimed.length === 0 || lost.left === 0) return claimed;
    lost.left -= 1;
    throw new Unavailable("The connection was cut.");
  };
  return new Proxy(store, {
    get(target, name) {
      if (name === "claim") return claim;
      const member = Reflect.get(target, name, target) as unknown;
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}

/** The same storage with such stores. */
export function losingStorage(storage: Storage, lost: LostClaims): Storage {
  return new Proxy(storage, {
    get(target, name) {
      const member = Reflect.get(target, name, target) as unknown;
      if (typeof member === "function") return member.bind(target);
      return ["jobs", "deliveries", "subscribers"].includes(String(name)) ? losingStore(member as JobStore, lost) : member;
    },
  });
}
