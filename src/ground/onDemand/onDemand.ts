/**
 * Loads a part of the package at its first use: what it returns gives the part at once if it is loaded, else a promise. Calls that meet a load share it. A failed load
 * is forgotten, so that the next call tries again.
 *
 * @param load imports the module
 * @example
 * const document = onDemand(() => import("./document.js"));
 * const { buildDocument } = await document();
 */
export function onDemand<T>(load: () => Promise<T>): () => T | Promise<T> {
  let loaded: { readonly part: T } | undefined;
  let loading: Promise<T> | undefined;
  return () => {
    if (loaded !== undefined) return loaded.part;
    loading ??= load()
      .then((part) => {
        loaded = { part };
        return part;
      })
      .finally(() => {
        loading = undefined;
      });
    return loading;
  };
}
