import type { Collection, Storage } from "restwright";

/** The same store, which keeps the names of the calls to it: `users.find`, `transaction`. */
export function counted(storage: Storage): { readonly storage: Storage; readonly calls: string[] } {
  const calls: string[] = [];
  const watch = (collection: Collection, name: string) =>
    new Proxy(collection, {
      get(target, member) {
        const value: unknown = Reflect.get(target, member, target);
        if (typeof value !== "function") return value;
        return (...args: unknown[]) => {
          calls.push(`${name}.${String(member)}`);
          return value.apply(target, args);
        };
      },
    });
  const within = (inner: Storage): Storage => ({
    ...inner,
    collection: (model) => watch(inner.collection(model), model.name),
    ...(inner.transaction && {
      transaction: (run, options) => {
        calls.push("transaction");
        return inner.transaction?.((tx) => run(within(tx)), options) as never;
      },
    }),
  });
  return { calls, storage: within(storage) };
}
