import { Unavailable } from "../src/storage/errors.js";

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
