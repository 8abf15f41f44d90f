import type { LiveCalls, LiveList } from "./calls/live.js";
import { checkOptions } from "./options.js";
import type { LiveQuery, LiveRows, LiveSnapshot } from "./types/live.js";

/** Rows that are kept current, by a part that is loaded with the first subscription. @throws {TypeError} for unknown options */
export function liveLater(load: () => Promise<{ readonly LiveList: typeof LiveList }>, calls: LiveCalls, options: LiveQuery): LiveRows {
  checkOptions(`${calls.collection}.live`, options, "where sort fields include perPage id maxRows ");
  let shown: LiveSnapshot = { rows: [], state: "loading" };
  let list: LiveList | undefined;
  const use = <T>(act: (list: LiveList) => T, onFailure?: () => void) =>
    load()
      .then((loaded) => {
        list ??= new loaded.LiveList(calls, options, shown);
        return act(list);
      })
      .catch((error: unknown) => {
        shown = { ...shown, state: "failed", error };
        onFailure?.();
      });
  return {
    get: () => list?.get() ?? shown,
    start: () => void use((loaded) => loaded.start()),
    close: () => void use((loaded) => loaded.close()),
    subscribe(listener) {
      const subscribed = use((loaded) => loaded.subscribe(listener), listener);
      return () => void subscribed.then((leave) => leave?.());
    },
  };
}
