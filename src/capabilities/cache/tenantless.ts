import type { Call, Collection } from "../../ground/storage/collection.js";
import type { Storage } from "../../ground/storage/storage.js";

/**
 * The same storage, in which all tenants have the same rows of some collections. Reads, writes, foreign keys, batches and imports take their rows from the storage,
 * so all of them agree.
 *
 * @param names of these collections
 */
export function tenantless(storage: Storage, names: ReadonlySet<string>): Storage {
  const collection: Storage["collection"] = (model) => (names.has(model.name) ? rowsOfAll(storage.collection(model)) : storage.collection(model));
  const within = storage.transaction?.bind(storage);
  if (within === undefined) return passingOn(storage, { collection });
  return passingOn(storage, { collection, transaction: (run, options) => within((tx) => run(tenantless(tx, names)), options) });
}

const rowsOfAllTenants = new WeakMap<Collection, Collection>();

/** The rows that belong to no tenant, whoever asks. */
function rowsOfAll(rows: Collection): Collection {
  const known = rowsOfAllTenants.get(rows);
  if (known !== undefined) return known;
  const made = new Proxy(rows, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function") return member;
      // Every method of a collection takes its call last.
      return (...given: unknown[]) => Reflect.apply(member, target, [...given.slice(0, -1), ofNoTenant(given.at(-1) as Call)]);
    },
  });
  rowsOfAllTenants.set(rows, made);
  return made;
}

/** A signal is made when it is first asked for. */
function ofNoTenant(call: Call): Call {
  return Object.defineProperty({ ...call, tenant: undefined }, "signal", { get: () => call.signal, enumerable: true });
}

/** An object whose members are those of another one, which they are called on, or others. */
function passingOn(storage: Storage, others: Partial<Storage>): Storage {
  return new Proxy(storage, {
    get(target, name) {
      if (Object.hasOwn(others, name)) return Reflect.get(others, name) as unknown;
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === "function" ? (member.bind(target) as unknown) : member;
    },
  });
}
