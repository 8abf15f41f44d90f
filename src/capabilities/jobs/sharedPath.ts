import type { JobKind, ShownJobs } from "./kind.js";
import { type JobRoute, jobOperations } from "./operations.js";
import { readEventsOperation } from "./read.js";
import type { JobSettings } from "./settings.js";

/** The segment of the jobs that have none of their own: those of handlers of the developer's, and recoveries of webhooks. */
export const sharedPath = "jobs";

/** Shows what the handler has returned. */
const own: ShownJobs = { describe: ({ result }) => ({ result }) };

/** The jobs at `/jobs`, by type. */
export class SharedPath {
  readonly #shown: Map<string, ShownJobs>;
  readonly #hasOwn: boolean;

  /** @param ownTypes those of handlers of the developer's */
  constructor(ownTypes: Iterable<string>) {
    this.#shown = new Map([...ownTypes].map((type) => [type, own]));
    this.#hasOwn = this.#shown.size > 0;
  }

  show(type: string, shown: ShownJobs): void {
    this.#shown.set(type, shown);
  }

  /** Their operations; none if there are no such jobs. Called when all types are known. */
  routes(settings: JobSettings): readonly JobRoute[] {
    if (this.#shown.size === 0) return [];
    const shownAs = (type: string) => this.#shown.get(type) ?? own;
    const kind: JobKind = {
      path: sharedPath,
      type: [...this.#shown.keys()],
      settings,
      describe: (state, ...others) => shownAs(state.type).describe(state, ...others),
      discard: async (state) => shownAs(state.type).discard?.(state),
    };
    if (!this.#hasOwn) return jobOperations(kind);
    return [...jobOperations(kind), { segments: [sharedPath, null, "events"], operations: [readEventsOperation(kind)] }];
  }
}
