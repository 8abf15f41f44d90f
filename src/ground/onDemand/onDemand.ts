import { countLoad } from "./loading.js";

/**
 * Loads a module when it is first needed: at once from then on, so that `whenReady` costs no turn of the microtask queue. A load that fails is tried again by the next call; during an
 * update, files may be missing for a moment. Node 20 itself remembers the failure if the file was there and one that it imports was missing.
 *
 * @param load imports the module, with `import()` of a constant text, which bundlers understand
 * @example
 * const jsonPatch = onDemand(() => import("./jsonPatch.js"));
 * whenReady(jsonPatch(), ({ jsonPatchOf }) => jsonPatchOf(resource, context));
 */
export function onDemand<T>(load: () => Promise<T>): () => T | Promise<T> {
  let module: { readonly loaded: T } | undefined;
  let loading: Promise<T> | undefined;
  return () => {
    if (module !== undefined) return module.loaded;
    loading ??= countLoad(load()).then(
      (loaded) => {
        module = { loaded };
        return loaded;
      },
      (error: unknown) => {
        loading = undefined;
        throw error;
      },
    );
    return loading;
  };
}

/**
 * A module that was loaded before, where no promise can be awaited.
 *
 * @throws {Error} if it was not
 */
export function loadedBefore<T>(module: T | Promise<T>): T {
  if (module instanceof Promise) throw new Error("A module that the service loads as it starts is not there yet.");
  return module;
}
