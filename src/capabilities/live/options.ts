import { optionsCheck, strict, whole } from "../../ground/options/index.js";
import type { KeptChanges } from "../../ground/storage/changes.js";

/** How many streams may be open. */
export interface MaxStreams {
  /** Of one principal; of one address, for callers without credentials. */
  readonly principal: number;
  /** Of all callers in this process. */
  readonly process: number;
}

/** Options of {@link live}. */
export interface LiveOptions {
  /** How many streams may be open (`{ principal: 10, process: 10_000 }`). */
  readonly maxStreams?: Partial<MaxStreams> | undefined;
  /** Which changes of each collection are kept: the youngest ones, as long as both hold (`{ changes: 10_000, ms: 600_000 }`). */
  readonly keep?: Partial<KeptChanges> | undefined;
}

export const checkLiveOptions = /* @__PURE__ */ optionsCheck("live", () =>
  strict<LiveOptions>({
    maxStreams: strict<Partial<MaxStreams>>({ principal: whole(1), process: whole(1) }),
    keep: strict<Partial<KeptChanges>>({ changes: whole(1, 1_000_000), ms: whole(1_000, 604_800_000) }),
  }),
);
