/**
 * Adds stores that are made when they are first used: most transactions use none of them, or one.
 *
 * @param make makes each store, by its name
 * @example
 * return withLazyStores({ name, collection }, { jobs: () => sqlJobs(session) });
 */
export function withLazyStores<S extends object, M extends Readonly<Record<string, () => object>>>(
  storage: S,
  make: M,
): S & { readonly [Name in keyof M]: ReturnType<M[Name]> } {
  for (const [name, makeStore] of Object.entries(make)) {
    let store: object | undefined;
    Object.defineProperty(storage, name, {
      enumerable: true,
      get() {
        store ??= makeStore();
        return store;
      },
    });
  }
  return storage as S & { readonly [Name in keyof M]: ReturnType<M[Name]> };
}
