import type { UploadSettings } from "../records/settings.js";

/**
 * Has something done once at a time in this process, by its id: who asks meanwhile has the same answer.
 *
 * @example
 * const sharing = oneAtATime<Upload>();
 * const finished = await sharing(settings, id, () => finish(settings, upload));
 */
export function oneAtATime<T>(): (settings: UploadSettings, id: string, work: () => Promise<T>) => Promise<T> {
  const all = new WeakMap<UploadSettings, Map<string, Promise<T>>>();
  return (settings, id, work) => {
    const running = all.get(settings) ?? new Map<string, Promise<T>>();
    all.set(settings, running);
    const known = running.get(id);
    if (known !== undefined) return known;
    const begun = work().finally(() => running.delete(id));
    running.set(id, begun);
    return begun;
  };
}
